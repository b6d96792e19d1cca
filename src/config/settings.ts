import { isIP } from 'node:net';
import { Temporal } from 'temporal-polyfill';
import { type SchemeName, schemeNames } from './directory/schemes.js';
import { type LogbookRuleSetting, readLogbookAccess } from './logbook-access-file.js';
import { type PluginSetting, parsePlugins } from './plugin-settings.js';
import type { Setting } from './setting.js';
import { count, duration, flag, groups, list, port, propertySource, setting, size, text } from './setting-types.js';
import type { SubscriberSetting } from './subscribers/subscriber-keys.js';

/** The name of a setting is its key here; flags, environment and file names follow from it. */
export const settings = {
  dataDir: setting(
    'DIR',
    './logbook-data',
    'Directory of everything that is stored. Made when it is not there.',
    (dir) => {
      if (dir === '') throw new Error('it must name a directory');
      return dir;
    },
  ),
  host: text(
    'ADDRESS',
    '127.0.0.1',
    'Address to listen on. Reachable from other hosts only when it is not a loopback address, for example 0.0.0.0.',
  ),
  httpPort: port('8080', 'Port of the plain HTTP listener; 0 takes a free one.'),
  httpsPort: port('8181', 'Port of the TLS listener; 0 takes a free one.'),
  rootPath: setting('PATH', '/logbook', 'First part of every API path.', (value) => {
    if (!/^(\/[\w~-][\w.~-]*)+\/?$/.test(value)) throw new Error('it must look like /logbook');
    if (/^\/(healthz|readyz|metrics|swagger-ui|openapi\.json|\w+\.html)(\/|$)/.test(value)) {
      throw new Error('the service has something else at that address');
    }
    return value.replace(/\/$/, '');
  }),
  publicUrl: setting(
    'URL',
    '',
    'Address under which people reach the service, such as https://log.example.org, for links in feeds. Empty: the one they asked.',
    (value) => {
      if (value !== '' && !/^https?:\/\/[^\s/]+\/?$/.test(value))
        throw new Error('it must look like https://host[:port]');
      return value.replace(/\/$/, '');
    },
  ),
  maxFileSize: size('15MB', 'Largest single attachment.'),
  maxRequestSize: size('50MB', 'Largest request with all its attachments.'),
  maxEntrySize: size('1MB', 'Largest entry without its attachments, and largest JSON body of any request.'),
  maxWebSocketConnections: count('2000', 'WebSocket connections that may be open at once.'),
  maxEventStreams: count('1000', 'Streams of changes (Server-Sent Events) that may be open at once.'),
  maxLiveConnectionsPerAddress: count(
    '500',
    'WebSocket connections and streams of changes together that one client address may have open at once.',
  ),
  corsOrigins: list(
    'ORIGINS',
    'http://localhost:3000',
    'Web addresses whose pages may use the API from a browser, comma separated.',
    (origin) => {
      if (!/^https?:\/\/[^\s/,*]+$/.test(origin))
        throw new Error('each must look like https://host[:port], without a path');
      return origin;
    },
  ),
  tlsCertificateFile: text(
    'FILE',
    '',
    'Certificate of the TLS listener with its chain, PEM. Empty, and no PKCS#12 file: one is made and kept in the data directory.',
  ),
  tlsKeyFile: text('FILE', '', 'Private key of that certificate, PEM.'),
  tlsPkcs12File: text('FILE', '', 'Certificate and key in one PKCS#12 file, instead of the two PEM files.'),
  requireTlsForWrites: flag(
    'false',
    'Whether what comes from other hosts writes and signs in over TLS alone. Behind a proxy that does TLS, set trustedProxies.',
  ),
  trustedProxies: list(
    'ADDRESSES',
    '',
    'Addresses or networks (10.0.0.0/8) of proxies in front of the service, comma separated: from them alone it believes who asked and how.',
    (address) => {
      const [host = '', bits, more] = address.split('/');
      const family = isIP(host);
      const most = family === 4 ? 32 : 128;
      if (
        family === 0 ||
        more !== undefined ||
        (bits !== undefined && !(/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most))
      ) {
        throw new Error('each must be an IP address such as 127.0.0.1, or a network such as 10.0.0.0/8');
      }
      return address;
    },
  ),
  tlsPkcs12Password: { ...text('TEXT', '', 'Password of the PKCS#12 file.'), secret: true },
  authenticationProviders: {
    ...list(
      'SCHEMES',
      'inMemory',
      'How people sign in; several are tried in the given order: inMemory (the two evaluation users admin and user, whose passwords everybody knows), embeddedLdap, ldap, active_directory.',
      (scheme): SchemeName => {
        const known = schemeNames.find(
          (name) => name === scheme || (scheme === 'activeDirectory' && name === 'active_directory'),
        );
        if (known === undefined) throw new Error(`there is no scheme ${scheme}; there are ${schemeNames.join(', ')}`);
        return known;
      },
    ),
    bareEnvironmentName: true,
  },
  embeddedLdapPropertySource: propertySource(
    'File that describes the built-in directory of the scheme embeddedLdap. Empty: a sample for trying the service out.',
  ),
  ldapPropertySource: propertySource('File that describes the directory of the scheme ldap.'),
  activeDirectoryPropertySource: propertySource('File that describes the domain of the scheme active_directory.'),
  requireSignInForReads: flag('false', 'Whether reading needs sign-in too. Writing always does.'),
  permissions: setting(
    'signed-in|roles',
    'signed-in',
    'Who may write. signed-in: whoever is; roles: those whose groups give them the role that it needs.',
    (value): 'signed-in' | 'roles' => {
      if (value !== 'signed-in' && value !== 'roles') throw new Error('it must be signed-in or roles');
      return value;
    },
  ),
  adminGroups: groups('ADMIN: do everything'),
  logGroups: groups('LOG: write entries and templates'),
  logbookGroups: groups('LOGBOOK: keep the logbooks'),
  tagGroups: groups('TAG: keep the tags'),
  propertyGroups: groups('PROPERTY: keep the properties'),
  logbookAccessFile: setting(
    'FILE',
    '',
    'File that says who may read and write which logbooks; see the documentation of sign-in. Empty: all are open.',
    (file): LogbookRuleSetting[] => (file === '' ? [] : readLogbookAccess(file)),
  ),
  credentialCacheTtl: duration(
    '60s',
    'For so long a directory is not asked again about a name and password that it took; 0s: it is asked each time.',
    { zero: true },
  ),
  sessionIdleTimeout: duration('12h', 'A session that is not used for so long ends.'),
  sessionMaxAge: duration('30d', 'A session ends after so long, however much it is used.'),
  auditRetention: duration('365d', 'Records of who did what are kept for so long.'),
  sessionCookieSameSite: setting(
    'lax|none',
    'lax',
    'SameSite attribute of the session cookie; none lets a web client on another site stay signed in, over TLS only.',
    (value): 'lax' | 'none' => {
      const mode = value.toLowerCase();
      if (mode !== 'lax' && mode !== 'none') throw new Error('it must be lax or none');
      return mode;
    },
  ),
  oidcIssuer: setting(
    'URL',
    '',
    'OpenID Connect provider where browsers may sign in, at the address /login/oidc below rootPath, as the provider calls itself, such as https://login.example.org/realms/site. Empty: none. Plain http on a loopback address only.',
    (value) => {
      if (value === '') return value;
      if (!URL.canParse(value)) throw new Error('it must look like https://host/path');
      const { protocol, hostname, pathname, search, hash, username } = new URL(value);
      if (protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) {
        throw new Error('it must begin with https://, because who listens could sign in as anybody');
      }
      if (!/^https?:$/.test(protocol) || search + hash + username !== '')
        throw new Error('it must look like https://host/path');
      if (pathname.includes('/.well-known/')) throw new Error('it must end before /.well-known/');
      return value;
    },
  ),
  oidcClientId: text('ID', '', 'Name under which the provider knows this service.'),
  oidcClientSecret: {
    ...text('TEXT', '', 'Secret of this service at the provider. Empty: it is a public client there.'),
    secret: true,
  },
  oidcScope: setting('SCOPES', 'openid profile', 'What the provider is asked for, separated by spaces.', (value) => {
    const scopes = value.split(/\s+/);
    if (!scopes.includes('openid')) throw new Error('openid must be one of them');
    return scopes.join(' ');
  }),
  oidcUserClaim: setting(
    'NAME',
    'preferred_username',
    'Claim that has the user name, which entries carry as owner; it must never pass from one person to another. Who has none cannot sign in.',
    (value) => {
      if (value === '') throw new Error('it must name a claim');
      return value;
    },
  ),
  oidcGroupsClaim: text(
    'NAME',
    'groups',
    'Claim that has the groups of the user: a list, or a text separated by spaces or commas. Empty: groups are not asked for.',
  ),
  initialCatalogFile: text(
    'FILE',
    '',
    'JSON file with the levels, logbooks, tags and properties that a new store starts with, in place of the built-in ones.',
  ),
  attachmentTextSearch: flag(
    'true',
    'Whether the words inside attachments (text, HTML, PDF) are found. They are read in a thread of its own, after the entry is stored.',
  ),
  plugins: setting(
    'MODULES',
    '',
    'Plug-ins that the service runs, comma separated: files or packages, each as module or name=module, looked for beside the configuration file and in the working directory. Their own settings are lines plugin.name.key = value in the configuration file.',
    parsePlugins,
  ),
  timeZone: setting(
    'ZONE',
    '',
    'IANA zone in which searches read times that name none. Empty: that of the machine.',
    (value) => {
      try {
        return value === '' ? Temporal.Now.timeZoneId() : Temporal.Now.zonedDateTimeISO(value).timeZoneId;
      } catch {
        throw new Error('it must be a name from the IANA list, such as Europe/Berlin');
      }
    },
  ),
  logLevel: setting('LEVEL', 'info', 'Least serious messages to log: debug, info, warn or error.', (value) => {
    if (!['debug', 'info', 'warn', 'error'].includes(value)) throw new Error('it must be debug, info, warn or error');
    return value as 'debug' | 'info' | 'warn' | 'error';
  }),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** Every setting with its value: sizes in bytes, durations in milliseconds, a text that is not set is empty. */
export type Config = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]['parse']> } & {
  readonly pluginSettings: readonly PluginSetting[];
  /** Absolute paths of the directories in which the modules of plug-ins are looked for, in this order. */
  readonly pluginDirs: readonly string[];
  readonly subscribers: readonly SubscriberSetting[];
};

export const settingNames = Object.keys(settings) as SettingName[];

export function flagName(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function environmentName(name: SettingName): string {
  return `LOGBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
