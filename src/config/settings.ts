import { backupSettings } from './backup-settings.js';
import { blobSettings } from './blob-settings.js';
import { indexSettings } from './index-settings.js';
import { limitSettings } from './limit-settings.js';
import { readLogbookAccess } from './logbook-access-file.js';
import { monitoringSettings } from './monitoring-settings.js';
import { parsePlugins } from './plugin-settings.js';
import type { Setting } from './setting.js';
import { listSpellings, type Spelling } from './setting-names.js';
import {
  parseHostName,
  parseIssuer,
  parseOrigin,
  parsePermissions,
  parseProxy,
  parsePublicUrl,
  parseRootPath,
  parseSameSite,
  parseScheme,
  parseScopes,
  parseShift,
  parseTimeZone,
} from './setting-parsers.js';
import {
  caFile,
  count,
  duration,
  file,
  flag,
  groups,
  list,
  optional,
  optionalText,
  port,
  propertySource,
  setting,
  text,
} from './setting-types.js';
import { storageSettings } from './storage-settings.js';

/** The name of a setting is its key here; the names of flags and environment variables are derived from it. */
export const settings = {
  ...storageSettings,
  ...blobSettings,
  ...backupSettings,
  ...indexSettings,
  host: text(
    'ADDRESS',
    '127.0.0.1',
    'Address to listen on. Other hosts can connect only if it is not a loopback address; 0.0.0.0 listens on all interfaces.',
  ),
  httpPort: port('8080', 'Port of the plain HTTP listener; 0 selects a free port, off turns it off.'),
  httpsPort: port('8181', 'Port of the TLS listener; 0 selects a free port, off turns it off.'),
  rootPath: setting('PATH', '/logbook', 'First part of every API path.', parseRootPath),
  rootPathAliases: list(
    'PATHS',
    '/Olog',
    'Further paths below which the API answers, comma-separated; also appended to rootPath. Existing clients call it below /Olog. Empty: none.',
    parseRootPath,
  ),
  publicUrl: optional(
    'URL',
    'URL under which users reach the service, such as https://log.example.org; used for links in feeds, notifications and exports. Empty: feeds use the URL of the request, the others have no links.',
    parsePublicUrl,
  ),
  allowedHosts: list(
    'NAMES',
    '',
    'Host names under which users reach the service, besides the name and addresses of this machine; comma-separated. Links in feeds and sign-ins are built from no other. Not needed with publicUrl.',
    parseHostName,
  ),
  ...limitSettings,
  corsOrigins: list(
    'ORIGINS',
    'http://localhost:3000',
    'Origins of web pages that may call the API from a browser; comma-separated.',
    parseOrigin,
  ),
  tlsCertificateFile: file(
    'PEM file with the certificate chain of the TLS listener. Without it and without a PKCS#12 file, the service creates a self-signed certificate in the data directory.',
  ),
  tlsKeyFile: file('PEM file with the private key of that certificate.'),
  tlsPkcs12File: file('PKCS#12 file with certificate and private key, instead of the two PEM files.'),
  requireTlsForWrites: flag(
    'false',
    'Whether requests from other hosts must use TLS to write or to sign in. Behind a proxy that terminates TLS, also set trustedProxies.',
  ),
  trustedProxies: list(
    'ADDRESSES',
    '',
    'Addresses or networks (10.0.0.0/8) of the proxies in front of the service; comma-separated. Only X-Forwarded-… headers from them are trusted.',
    parseProxy,
  ),
  tlsPkcs12Password: { ...optionalText('TEXT', 'Password of the PKCS#12 file.'), secret: true },
  authenticationProviders: {
    ...list(
      'PROVIDERS',
      'inMemory',
      'Authentication providers, tried in the given order; comma-separated: inMemory (the evaluation users admin and user, whose passwords are public; the default in a trial alone, see serve --demo), embeddedLdap, ldap, active_directory.',
      parseScheme,
    ),
    bareEnvironmentName: true,
  },
  embeddedLdapPropertySource: propertySource(
    'File that configures the embedded directory of the provider embeddedLdap. Empty: a sample directory for evaluation.',
  ),
  ldapPropertySource: propertySource('File that configures the directory of the provider ldap.'),
  activeDirectoryPropertySource: propertySource('File that configures the domain of the provider active_directory.'),
  requireSignInForReads: flag('false', 'Whether reading requires sign-in. Writing always does.'),
  permissions: setting(
    'signed-in|roles',
    'signed-in',
    'Which users may write. signed-in: all who are signed in; roles: those whose groups give them the required role.',
    parsePermissions,
  ),
  adminGroups: groups('ADMIN', 'do everything'),
  logGroups: groups('LOG', 'write entries and templates'),
  logbookGroups: groups('LOGBOOK', 'manage logbooks'),
  tagGroups: groups('TAG', 'manage tags'),
  propertyGroups: groups('PROPERTY', 'manage properties'),
  logbookAccessFile: {
    ...setting(
      'FILE',
      '',
      'File that restricts who may read and write each logbook; see the sign-in documentation. Empty: no restrictions.',
      (path) => (path === '' ? [] : readLogbookAccess(path)),
    ),
    isFile: true,
  },
  credentialCacheTtl: {
    ...duration(
      '60s',
      'How long a user name and password that were accepted are accepted again without querying the directory; 0s: every request with a password queries it.',
      { zero: true },
    ),
    formerNames: ['signInMemory'],
  },
  accountRecheckInterval: duration(
    '15m',
    'How long sessions and tokens may work after their account was closed or has lost a group in its directory, which is asked again after this time. 0s: it is only asked when the user signs in.',
    { zero: true },
  ),
  newAddressFailures: count(
    '2',
    'How many wrong passwords for one account are passed on to a directory within newAddressFailureWindow, from all addresses together where the account has never signed in. Keep it below the lock-out threshold of the directory. 0: no limit.',
  ),
  newAddressFailureWindow: duration('10m', 'The time in which newAddressFailures wrong passwords are passed on.'),
  sessionIdleTimeout: {
    ...duration('12h', 'How long a session may be unused before it ends.'),
    formerNames: ['sessionTimeout'],
  },
  sessionMaxAge: duration('30d', 'How long a session may last, even if it is in use.'),
  auditRetention: duration('365d', 'How long audit records are retained.'),
  trustSystemClock: flag(
    'false',
    'Whether expired sessions and audit records are removed at once although the system clock has jumped by more than an hour, or the service has not run for more than a day. Otherwise the clock must first run steadily for a day.',
  ),
  sessionCookieSameSite: setting(
    'lax|none',
    'lax',
    'SameSite attribute of the session cookie. none lets a web client on another site stay signed in, over TLS only.',
    parseSameSite,
  ),
  oidcIssuer: optional(
    'URL',
    'Issuer URL of the OpenID Connect provider for browser sign-in at /login/oidc below rootPath, such as https://login.example.org/realms/site. Empty: no OpenID Connect. Plain http is allowed only for a loopback address.',
    parseIssuer,
  ),
  oidcClientId: optionalText('ID', 'Client ID of this service at the OpenID Connect provider.'),
  oidcClientSecret: {
    ...optionalText('TEXT', 'Client secret of this service at the OpenID Connect provider. Empty: a public client.'),
    secret: true,
  },
  oidcCaFile: caFile(
    'PEM file with the certificates of the authorities (CAs) to trust at the OpenID Connect provider. Empty: the public CAs.',
  ),
  oidcScope: setting('SCOPES', 'openid profile', 'Scopes to request; separated by spaces.', parseScopes),
  oidcUserClaim: text(
    'NAME',
    'preferred_username',
    'Claim with the user name, which becomes the owner of entries; a path such as profile.uid leads into nested claims. The provider must never assign the same value to another person. Users without this claim cannot sign in.',
  ),
  oidcGroupsClaim: setting(
    'NAME',
    'groups',
    'Claim with the groups of the user: a list, or one text that is separated by oidcGroupsSeparator. A path leads into nested claims: realm_access.roles; of a list of objects, groups.name. Empty: groups are not requested.',
    (value): string | undefined => value || undefined,
  ),
  oidcGroupsSeparator: {
    ...text(
      'TEXT',
      ',',
      'What separates the groups in a claim that is one text, such as ; or |, or the word space. Names of groups may contain spaces, so these separate only when told to.',
    ),
    parse: (value: string) => (value.trim() === 'space' ? ' ' : value.trim() || ','),
  },
  oidcSignOut: flag(
    'true',
    'Whether signing out of the logbook also signs the browser out at the OpenID Connect provider, if it offers that.',
  ),
  initialCatalogFile: {
    ...optionalText(
      'FILE',
      'JSON file with the levels, logbooks, tags and properties that are created in an empty database, instead of the default ones.',
    ),
    formerNames: ['catalogFile'],
    isFile: true,
  },
  attachmentTextSearch: {
    ...flag(
      'true',
      'Whether searches find the text inside attachments (text, HTML, PDF). It is extracted in a separate process after the entry is stored.',
    ),
    formerNames: ['searchAttachments'],
  },
  plugins: setting(
    'MODULES',
    '',
    'Plug-ins to load; comma-separated files or packages, each as module or name=module, relative to the directory of the configuration file or to the working directory. Their own settings are lines plugin.name.key = value in the configuration file.',
    parsePlugins,
  ),
  timeZone: setting(
    'ZONE',
    '',
    'IANA time zone for times in searches that specify none. Empty: the zone of the machine.',
    parseTimeZone,
  ),
  shifts: list(
    'SHIFTS',
    'Early 07:00, Late 15:00, Night 23:00',
    'The shifts that the browser client hands over, each a name and the time in timeZone when it begins; it ends when the next one begins.',
    parseShift,
  ),
  ...monitoringSettings,
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** The value of every setting: sizes in bytes, durations in milliseconds. */
export type SettingValues = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]['parse']> };

export const settingNames = Object.keys(settings) as SettingName[];

/** A setting whose optional attributes can be read. */
export function findSetting(name: SettingName): Setting<unknown> {
  return settings[name];
}

/** Lists the spellings of all settings in a source that writes a name in any of the given ways. */
export function listSettingSpellings(...ways: ((name: string) => string)[]): Map<string, Spelling> {
  return listSpellings(
    settingNames.map((name) => ({ name, ...findSetting(name) })),
    ways,
  );
}

export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export const environmentName = (name: string): string =>
  `LOGBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
