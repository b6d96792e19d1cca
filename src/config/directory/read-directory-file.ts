import { readPropertiesFile } from '../properties-file.js';
import { settingError } from '../setting.js';
import { suggestName } from '../suggest-name.js';
import { activeDirectoryKeys, type DirectoryKey, embeddedLdapKeys, ldapKeys } from './keys.js';

interface ConnectionSource {
  readonly urls: readonly string[];
  readonly startTls: boolean;
  /** PEM; undefined: the public authorities. */
  readonly caCertificates: string | undefined;
  readonly connectTimeoutMs: number;
  readonly operationTimeoutMs: number;
}

export interface LdapSource extends ConnectionSource {
  /** All DNs here are whole ones. */
  readonly userDnPattern: string | undefined;
  readonly userSearch: { readonly base: string; readonly filter: string } | undefined;
  readonly groupSearch: { readonly base: string; readonly filter: string } | undefined;
  readonly manager: { readonly dn: string; readonly password: string } | undefined;
}

export interface EmbeddedLdapSource {
  /** 0: a free one, which `ldap.urls` cannot know. */
  readonly port: number;
  /** Undefined: the sample. */
  readonly ldifFile: string | undefined;
  readonly baseDn: string;
  /** How it is asked. */
  readonly ldap: LdapSource;
}

export interface ActiveDirectorySource extends ConnectionSource {
  readonly domain: string;
  readonly baseDn: string;
}

/** What a file says, or all that is wrong with it, a line each, for people. */
export type SourceReading<T> = { readonly settings: T } | { readonly problems: readonly string[] };

export function readLdapSource(file: string): SourceReading<LdapSource> {
  return readSource(file, ldapKeys, (values, problems) => {
    if (values.urls.urls.length === 0) problems.push(`ldap.urls is not set in ${file}: name at least one server`);
    return ldapSource(
      'ldap',
      file,
      { ...values, ...values.urls, baseDn: values.baseDn || values.urls.baseDn },
      problems,
    );
  });
}

/** Without a file, the defaults hold. */
export function readEmbeddedLdapSource(file: string | undefined): SourceReading<EmbeddedLdapSource> {
  return readSource(file, embeddedLdapKeys, (values, problems) => {
    const { port } = values;
    const urls = [`ldap://127.0.0.1:${port}`];
    if (values.urls.urls.some((url) => !isOwnAddress(url, port))) {
      problems.push(
        `embedded_ldap.urls in ${file}: the built-in directory is at ldap://localhost:${port}; leave the key out`,
      );
    }
    if (values.startTls) {
      problems.push(
        `embedded_ldap.starttls in ${file}: the built-in directory is asked inside this machine, without TLS`,
      );
    }
    const baseDn = values.baseDn || values.urls.baseDn || 'dc=logbook,dc=example';
    const ldap = ldapSource('embedded_ldap', file, { ...values, urls, baseDn }, problems);
    return { port, ldifFile: values.ldifFile || undefined, baseDn, ldap };
  });
}

export function readActiveDirectorySource(file: string): SourceReading<ActiveDirectorySource> {
  return readSource(file, activeDirectoryKeys, ({ urls, domain, baseDn, ...connection }, problems) => {
    if (urls.urls.length === 0) problems.push(`ad.url is not set in ${file}: name at least one domain controller`);
    if (domain === '') problems.push(`ad.domain is not set in ${file}: name the domain, such as example.org`);
    const domainDn = domain
      .split('.')
      .map((label) => `dc=${label}`)
      .join(',');
    return { ...connection, urls: urls.urls, domain, baseDn: baseDn || urls.baseDn || domainDn };
  });
}

type Keys = Readonly<Record<string, DirectoryKey<unknown>>>;
type Values<K extends Keys> = { readonly [N in keyof K]: ReturnType<K[N]['parse']> };

function readSource<K extends Keys, T>(
  file: string | undefined,
  keys: K,
  assemble: (values: Values<K>, problems: string[]) => T,
): SourceReading<T> {
  const problems: string[] = [];
  const texts = readTexts(file, keys, problems);
  const values: Record<string, unknown> = {};
  for (const [name, { key, parse, defaultText, secret }] of Object.entries(keys)) {
    const text = texts.get(name)?.trim() || defaultText;
    try {
      values[name] = parse(text);
    } catch (error) {
      problems.push(settingError(`${key} in ${file}`, text, secret, error));
    }
  }
  // What is missing would be reported a second time.
  if (problems.length > 0) return { problems };
  const settings = assemble(values as Values<K>, problems);
  return problems.length > 0 ? { problems } : { settings };
}

/** The texts by the names of their keys. */
function readTexts(file: string | undefined, keys: Keys, problems: string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const namesByKey = new Map(
    Object.entries(keys).flatMap(([name, { key, aliases = [] }]) =>
      [key, ...aliases].map((spelling) => [spelling, name]),
    ),
  );
  for (const [key, text] of Object.entries(readProperties(file, problems))) {
    const name = namesByKey.get(key);
    const earlier = name === undefined ? undefined : texts.get(name);
    if (name === undefined) {
      if (!isOfAnotherDirectory(key))
        problems.push(`${key} in ${file}: there is no such key${suggestion(key, namesByKey)}`);
    } else if (earlier !== undefined && earlier !== text) {
      problems.push(`${key} in ${file} says something else than its other spelling: leave one of them out`);
    } else texts.set(name, text);
  }
  return texts;
}

function readProperties(file: string | undefined, problems: string[]): Record<string, string> {
  if (file === undefined) return {};
  try {
    return readPropertiesFile(file);
  } catch (error) {
    problems.push(`${file}: ${(error as Error).message}`);
    return {};
  }
}

/** One file may describe several directories. */
function isOfAnotherDirectory(key: string): boolean {
  return [ldapKeys, embeddedLdapKeys, activeDirectoryKeys].some((keys) =>
    Object.values<DirectoryKey<unknown>>(keys).some((known) => known.key === key || known.aliases?.includes(key)),
  );
}

function suggestion(key: string, known: ReadonlyMap<string, string>): string {
  const nearest = suggestName(key, known.keys());
  return nearest === undefined ? `; there are ${[...known.keys()].join(', ')}` : `; did you mean ${nearest}?`;
}

type LookupValues = Omit<Values<typeof ldapKeys>, 'urls'> & { readonly urls: readonly string[] };

function ldapSource(
  prefix: 'ldap' | 'embedded_ldap',
  file: string | undefined,
  values: LookupValues,
  problems: string[],
): LdapSource {
  const { urls, startTls, caCertificates, connectTimeoutMs, operationTimeoutMs, baseDn, userDnPattern } = values;
  const userSearch = search(values.userSearchBase, values.userSearchFilter, '(uid={0})', baseDn);
  const groupFilter = '(|(member={0})(uniqueMember={0})(memberUid={1}))';
  const groupSearch = search(values.groupsSearchBase, values.groupsSearchPattern, groupFilter, baseDn);
  if (userDnPattern === '' && userSearch === undefined) {
    problems.push(
      `${file} does not say how users are found: set ${prefix}.user.dn.pattern or ${prefix}.user.search.filter`,
    );
  }
  if ([userSearch, groupSearch].some((wanted) => wanted?.base === '')) {
    problems.push(`${prefix}.base.dn is not set in ${file}: say where to search`);
  }
  const { managerDn, managerPassword } = values;
  if ((managerDn === '') !== (managerPassword === '')) {
    problems.push(
      `${prefix}.manager.dn and ${prefix}.manager.password in ${file} belong together: set both or neither`,
    );
  }
  return {
    urls,
    startTls,
    caCertificates,
    connectTimeoutMs,
    operationTimeoutMs,
    userDnPattern: userDnPattern === '' ? undefined : wholeDn(userDnPattern, baseDn),
    userSearch,
    groupSearch,
    manager: managerDn === '' ? undefined : { dn: managerDn, password: managerPassword },
  };
}

function search(base: string, filter: string, defaultFilter: string, baseDn: string) {
  if (base === '' && filter === '') return undefined;
  return { base: wholeDn(base, baseDn), filter: filter || defaultFilter };
}

function wholeDn(dn: string, baseDn: string): string {
  if (dn === '' || baseDn === '') return dn || baseDn;
  const plain = (text: string) => text.toLowerCase().replace(/\s*([,=])\s*/g, '$1');
  return `,${plain(dn)}`.endsWith(`,${plain(baseDn)}`) ? dn : `${dn},${baseDn}`;
}

function isOwnAddress(text: string, port: number): boolean {
  const url = new URL(text);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'ldap:' && isLoopback && Number(url.port || 389) === port;
}
