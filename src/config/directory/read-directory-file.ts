import { dirname } from 'node:path';
import { isWithin, normalizeDn, parseDn } from '../../kernel/distinguished-name.js';
import { resolveFile } from '../file-path.js';
import { GivenTexts } from '../given-settings.js';
import { readPropertiesFile } from '../properties-file.js';
import { settingError } from '../setting.js';
import { listSpellings, type Spelling } from '../setting-names.js';
import { suggestName } from '../suggest-name.js';
import { activeDirectoryKeys, type DirectoryKey, embeddedLdapKeys, ignoredKeys, ldapKeys } from './keys.js';

interface ConnectionSettings {
  readonly urls: readonly string[];
  readonly startTls: boolean;
  /** Certificates in PEM; undefined for the public certificate authorities. */
  readonly caCertificates: string | undefined;
  readonly connectTimeoutMs: number;
  readonly operationTimeoutMs: number;
}

export interface LdapSettings extends ConnectionSettings {
  readonly nameAttribute: string;
  /** Pattern of user DNs. This DN and those of the searches include the base DN. */
  readonly userDnPattern: string | undefined;
  readonly userSearch: { readonly base: string; readonly filter: string } | undefined;
  readonly groupSearch: { readonly base: string; readonly filter: string } | undefined;
  readonly manager: ManagerSettings | undefined;
}

interface ManagerSettings {
  readonly dn: string;
  readonly password: string;
}

export interface EmbeddedLdapSettings {
  /** Port of the directory; 0: a free port, which `ldap.urls` does not know yet. */
  readonly port: number;
  /** Undefined for the sample directory. */
  readonly ldifFile: string | undefined;
  readonly baseDn: string;
  /** Settings with which the service queries the embedded directory. */
  readonly ldap: LdapSettings;
}

export interface ActiveDirectorySettings extends ConnectionSettings {
  readonly domain: string;
  readonly baseDn: string;
  readonly nameAttribute: string;
  readonly groupBaseDn: string;
  readonly manager: ManagerSettings | undefined;
}

/** Content of a file, or all problems in it, one per line. */
export type DirectoryReading<T> = { readonly settings: T } | { readonly problems: readonly string[] };

export function readLdapSettings(file: string): DirectoryReading<LdapSettings> {
  return readDirectoryFile(file, ldapKeys, (values, problems) => {
    if (values.urls.urls.length === 0) problems.push(`ldap.urls is not set in ${file}: name at least one server`);
    const { urls, baseDn } = values.urls;
    const source = { prefix: 'ldap', file, problems } as const;
    return toLdapSettings(source, { ...values, urls, baseDn: values.baseDn ?? baseDn });
  });
}

/** Reads the file; the defaults apply if it is undefined. */
export function readEmbeddedLdapSettings(file: string | undefined): DirectoryReading<EmbeddedLdapSettings> {
  return readDirectoryFile(file, embeddedLdapKeys, (values, problems) => {
    const { port } = values;
    const urls = [`ldap://127.0.0.1:${port}`];
    if (values.urls.urls.some((url) => !isOwnAddress(url, port))) {
      problems.push(
        `embedded_ldap.urls in ${file}: the embedded directory is at ldap://localhost:${port}; remove the key`,
      );
    }
    if (values.startTls) {
      problems.push(
        `embedded_ldap.starttls in ${file}: the embedded directory is on this machine and does not use TLS; remove the key`,
      );
    }
    const baseDn = values.baseDn ?? values.urls.baseDn ?? 'dc=logbook,dc=example';
    const ldap = toLdapSettings({ prefix: 'embedded_ldap', file, problems }, { ...values, urls, baseDn });
    return { port, ldifFile: values.ldifFile, baseDn, ldap };
  });
}

export function readActiveDirectorySettings(file: string): DirectoryReading<ActiveDirectorySettings> {
  return readDirectoryFile(file, activeDirectoryKeys, (values, problems) => {
    const { urls, domain = '', groupsSearchBase, managerDn: _dn, managerPassword: _password, ...others } = values;
    if (urls.urls.length === 0) problems.push(`ad.url is not set in ${file}: name at least one domain controller`);
    if (domain === '') problems.push(`ad.domain is not set in ${file}: name the domain, such as example.org`);
    const domainDn = domain
      .split('.')
      .map((label) => `dc=${label}`)
      .join(',');
    const baseDn = values.baseDn ?? urls.baseDn ?? domainDn;
    return {
      ...others,
      urls: urls.urls,
      domain,
      baseDn,
      nameAttribute: values.nameAttribute ?? 'sAMAccountName',
      groupBaseDn: completeDn(groupsSearchBase, baseDn),
      manager: readManager({ prefix: 'ad', file, problems }, values, baseDn),
    };
  });
}

type Keys = Readonly<Record<string, DirectoryKey<unknown>>>;
type Values<K extends Keys> = { readonly [N in keyof K]: ReturnType<K[N]['parse']> };

function readDirectoryFile<K extends Keys, T>(
  file: string | undefined,
  keys: K,
  assemble: (values: Values<K>, problems: string[]) => T,
): DirectoryReading<T> {
  const problems: string[] = [];
  const texts = readTexts(file, keys, problems);
  const values: Record<string, unknown> = {};
  const dir = file === undefined ? undefined : dirname(file);
  for (const [name, { key, parse, defaultText, secret, isFile }] of Object.entries(keys)) {
    const text = texts.get(key)?.text.trim() || defaultText;
    try {
      values[name] = parse(isFile ? resolveFile(text, dir) : text);
    } catch (error) {
      problems.push(settingError(`${key} in ${file}`, text, secret, error));
    }
  }
  // An invalid key must not also be reported as missing.
  if (problems.length > 0) return { problems };
  const settings = assemble(values as Values<K>, problems);
  return problems.length > 0 ? { problems } : { settings };
}

function readTexts(file: string | undefined, keys: Keys, problems: string[]): GivenTexts {
  const texts = new GivenTexts();
  const known = listSpellings(Object.values(keys).map(({ key: name, ...others }) => ({ name, ...others })));
  for (const [key, text] of Object.entries(readProperties(file, problems))) {
    const origin = `${key} in ${file}`;
    const spelling = known.get(key);
    if (spelling) texts.add(spelling, { text, origin });
    else if (!ignoredKeys.includes(key) && !isOfAnotherDirectory(key))
      problems.push(`${origin}: unknown key${suggestion(key, known)}`);
  }
  problems.push(...texts.problems);
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

/** Returns whether the key belongs to another directory, since one file may configure several. */
function isOfAnotherDirectory(key: string): boolean {
  return [ldapKeys, embeddedLdapKeys, activeDirectoryKeys].some((keys) =>
    Object.values<DirectoryKey<unknown>>(keys).some((known) => known.key === key || known.aliases?.includes(key)),
  );
}

function suggestion(key: string, known: ReadonlyMap<string, Spelling>): string {
  const nearest = suggestName(key, known.keys());
  return nearest === undefined ? `; the keys are ${[...known.keys()].join(', ')}` : `; did you mean ${nearest}?`;
}

type LookupValues = Omit<Values<typeof ldapKeys>, 'urls'> & { readonly urls: readonly string[] };

/** The file that is being read, the prefix of its keys, and the problems found so far. */
interface DirectorySource {
  readonly prefix: 'ldap' | 'embedded_ldap' | 'ad';
  readonly file: string | undefined;
  readonly problems: string[];
}

function toLdapSettings(source: DirectorySource, values: LookupValues): LdapSettings {
  const { prefix, file, problems } = source;
  const { urls, startTls, caCertificates, connectTimeoutMs, operationTimeoutMs, baseDn, userDnPattern } = values;
  const userSearch = search(values.userSearchBase, values.userSearchFilter, '(uid={0})', baseDn);
  const groupFilter = '(|(member={0})(uniqueMember={0})(memberUid={1}))';
  const groupSearch = search(values.groupsSearchBase, values.groupsSearchPattern, groupFilter, baseDn);
  if (userDnPattern === undefined && userSearch === undefined) {
    problems.push(
      `${file} does not specify how to find users: set ${prefix}.user.dn.pattern or ${prefix}.user.search.filter`,
    );
  }
  if ([userSearch, groupSearch].some((one) => one?.base === '')) {
    problems.push(`${prefix}.base.dn is not set in ${file}: set it, or the search bases`);
  }
  return {
    urls,
    startTls,
    caCertificates,
    connectTimeoutMs,
    operationTimeoutMs,
    userDnPattern: userDnPattern === undefined ? undefined : completeDn(userDnPattern, baseDn),
    userSearch,
    groupSearch,
    manager: readManager(source, values, baseDn),
    nameAttribute: values.nameAttribute ?? defaultNameAttribute(`${userDnPattern} ${values.userSearchFilter}`),
  };
}

/** Returns the default name attribute: `sAMAccountName` for Active Directory, whose users have no `uid`. */
function defaultNameAttribute(patterns: string): string {
  return /\bsAMAccountName=/i.test(patterns) ? 'sAMAccountName' : 'uid';
}

function readManager(
  { prefix, file, problems }: DirectorySource,
  { managerDn, managerPassword }: Pick<LookupValues, 'managerDn' | 'managerPassword'>,
  baseDn: string | undefined,
): ManagerSettings | undefined {
  if ((managerDn === undefined) !== (managerPassword === undefined)) {
    problems.push(
      `${prefix}.manager.dn and ${prefix}.manager.password in ${file} belong together: set both or neither`,
    );
  }
  if (managerDn === undefined || managerPassword === undefined) return undefined;
  // Active Directory also accepts names such as logbook@example.org.
  return { dn: parseDn(managerDn) ? completeDn(managerDn, baseDn) : managerDn, password: managerPassword };
}

function search(
  base: string | undefined,
  filter: string | undefined,
  defaultFilter: string,
  baseDn: string | undefined,
) {
  if (base === undefined && filter === undefined) return undefined;
  return { base: completeDn(base, baseDn), filter: filter ?? defaultFilter };
}

/** Matches the DNs of administrators and settings that are not below the base. */
const absoluteDn = /^cn=directory manager$|(^|,)cn=(config|monitor)$/;

/** Appends the base DN unless the DN ends with the same root or matches `absoluteDn`. Empty when neither is given. */
function completeDn(dn: string | undefined, baseDn: string | undefined): string {
  if (dn === undefined || baseDn === undefined) return dn ?? baseDn ?? '';
  const [name, base] = [parseDn(dn), parseDn(baseDn)];
  if (!name || !base) return `${dn},${baseDn}`;
  const isAbsolute = isWithin(name, base.slice(-1)) || absoluteDn.test(normalizeDn(name));
  return isAbsolute ? dn : `${dn},${baseDn}`;
}

function isOwnAddress(text: string, port: number): boolean {
  const url = new URL(text);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'ldap:' && isLoopback && Number(url.port || 389) === port;
}
