import { readLogbookAccess } from './logbook-access-file.js';
import { parsePermissions, parseSameSite, parseScheme } from './setting-parsers.js';
import { count, duration, flag, groups, list, propertySource, setting } from './setting-types.js';

/** Settings for the users who may sign in, with their rights and the duration of sessions. */
export const signInSettings = {
  authenticationProviders: {
    ...list(
      'PROVIDERS',
      'inMemory',
      'Authentication providers in order, comma-separated: embeddedLdap, ldap, active_directory, inMemory (public passwords; the default only in a trial, see serve --demo).',
      parseScheme,
    ),
    bareEnvironmentName: true,
  },
  embeddedLdapPropertySource: propertySource('File that configures embeddedLdap. Empty: a sample directory.'),
  ldapPropertySource: propertySource('File that configures the directory of ldap.'),
  activeDirectoryPropertySource: propertySource('File that configures the domain of active_directory.'),
  requireSignInForReads: flag('false', 'Whether reading requires sign-in. Writing always does.'),
  permissions: setting(
    'signed-in|roles',
    'signed-in',
    'Who may write: all signed-in users, or those whose groups give them the role.',
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
      'File that restricts who may read and write each logbook. Empty: no restrictions.',
      (path) => (path === '' ? [] : readLogbookAccess(path)),
    ),
    isFile: true,
  },
  credentialCacheTtl: {
    ...duration(
      '60s',
      'How long an accepted password is reused without querying the directory. 0s: each request queries it.',
      { zero: true },
    ),
    formerNames: ['signInMemory'],
  },
  accountRecheckInterval: duration(
    '15m',
    'How long sessions and tokens keep their rights after a change of their account. 0s: until the user signs in again.',
    { zero: true },
  ),
  newAddressFailures: count(
    '2',
    'Maximum number of wrong passwords for an account from new addresses within newAddressFailureWindow. Keep it below the lock-out threshold of the directory. 0: no limit.',
  ),
  newAddressFailureWindow: duration('10m', 'Time for which newAddressFailures counts wrong passwords.'),
  sessionIdleTimeout: {
    ...duration('12h', 'How long a session may be unused before it ends.'),
    formerNames: ['sessionTimeout'],
  },
  sessionMaxAge: duration('30d', 'How long a session may last, even if it is in use.'),
  sessionCookieSameSite: setting(
    'lax|none',
    'lax',
    'SameSite attribute of the session cookie. none: a web client on another site stays signed in, over TLS only.',
    parseSameSite,
  ),
  auditRetention: duration('365d', 'How long audit records are retained.'),
  trustSystemClock: flag(
    'false',
    'Whether to trust the system clock after it jumped by an hour or the service was stopped for a day. false: expired data is then kept for another day.',
  ),
} as const;
