import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigError } from './config-error.js';
import { loadConfig } from './load-config.js';
import { findSetting, settingNames } from './settings.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'logbook-test-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

interface Given {
  readonly flags?: Record<string, string>;
  readonly properties?: Record<string, string>;
  readonly environment?: Record<string, string>;
  readonly file?: string;
}

function load({ flags = {}, properties = {}, environment = {}, file }: Given) {
  const configFile = file === undefined ? undefined : join(dir, 'logbook.properties');
  if (configFile !== undefined) writeFileSync(configFile, file ?? '');
  return loadConfig({ flags, properties, configFile }, environment);
}

function problemsOf(given: Given): readonly string[] {
  try {
    load(given);
    return [];
  } catch (error) {
    return (error as ConfigError).problems.map((problem) => problem.replaceAll(dir, 'DIR'));
  }
}

describe('a former name', () => {
  test.each<[source: string, given: Given, origin: string]>([
    ['a flag', { flags: { sessionTimeout: '1h' } }, '--session-timeout'],
    ['-D', { properties: { sessionTimeout: '1h' } }, '-DsessionTimeout'],
    ['-D, written as its flag', { properties: { 'session-timeout': '1h' } }, '-Dsession-timeout'],
    [
      'the environment',
      { environment: { LOGBOOK_SESSION_TIMEOUT: '1h' } },
      'environment variable LOGBOOK_SESSION_TIMEOUT',
    ],
    ['the file', { file: 'sessionTimeout = 1h' }, 'sessionTimeout in DIR/logbook.properties'],
  ])('in %s sets the value, with one warning that names the new one', (_source, given, origin) => {
    const { options, deprecations } = load(given);
    expect(options.auth.sessionIdleMs).toBe(3_600_000);
    expect(deprecations.map((one) => ({ ...one, origin: one.origin.replace(dir, 'DIR') }))).toEqual([
      { origin, replacement: 'sessionIdleTimeout' },
    ]);
  });

  test('in several sources warns once, and the first source wins', () => {
    const { options, deprecations } = load({ flags: { sessionTimeout: '1h' }, file: 'sessionTimeout = 2h' });
    expect(options.auth.sessionIdleMs).toBe(3_600_000);
    expect(deprecations).toHaveLength(1);
  });

  test.each<[source: string, given: Given, problem: string]>([
    [
      'flags',
      { flags: { sessionTimeout: '1h', sessionIdleTimeout: '1h' } },
      '--session-timeout and --session-idle-timeout are two names of one setting: use only sessionIdleTimeout',
    ],
    [
      'the environment',
      { environment: { LOGBOOK_SESSION_IDLE_TIMEOUT: '1h', LOGBOOK_SESSION_TIMEOUT: '1h' } },
      'environment variable LOGBOOK_SESSION_IDLE_TIMEOUT and environment variable LOGBOOK_SESSION_TIMEOUT are two names of one setting: use only sessionIdleTimeout',
    ],
    [
      '-D and the file',
      { properties: { sessionIdleTimeout: '1h' }, file: 'sessionTimeout = 2h' },
      '-DsessionIdleTimeout and sessionTimeout in DIR/logbook.properties are two names of one setting: use only sessionIdleTimeout',
    ],
  ])('next to the new name, in %s, is a problem that names both', (_source, given, problem) => {
    expect(problemsOf(given)).toEqual([problem]);
  });

  test('of every renamed setting is known', () => {
    const formerNames = settingNames.flatMap((name) =>
      (findSetting(name).formerNames ?? []).map((former) => [former, name]),
    );
    expect(Object.fromEntries(formerNames)).toEqual({
      signInMemory: 'credentialCacheTtl',
      sessionTimeout: 'sessionIdleTimeout',
      maxLiveConnections: 'maxWebSocketConnections',
      maxChangeStreams: 'maxEventStreams',
      maxLiveClientsPerAddress: 'maxLiveConnectionsPerAddress',
      searchAttachments: 'attachmentTextSearch',
      catalogFile: 'initialCatalogFile',
    });
  });

  test('of a setting is not suggested for a misspelt one', () => {
    expect(problemsOf({ properties: { sessionTimeut: '1h' } })).toEqual([
      '-DsessionTimeut: unknown setting; --help --all lists all settings',
    ]);
  });
});

describe('the former names of subscribers', () => {
  const former = {
    'follower.shift.kind': 'chat',
    'follower.shift.url': 'https://chat.example.org/hook',
    'follower.shift.batchSeconds': '2',
    'follower.shift.retrySeconds': '3',
    'follower.shift.maxRetrySeconds': '4',
    'follower.shift.giveUpSeconds': '5',
  };

  test('set the values, with a warning for each key', () => {
    const { options, deprecations } = load({ properties: former });
    expect(options.subscribers).toEqual([
      expect.objectContaining({
        name: 'shift',
        kind: 'chat',
        batchWindowSeconds: 2,
        initialRetryDelaySeconds: 3,
        maxRetryDelaySeconds: 4,
        maxDeliveryAgeSeconds: 5,
      }),
    ]);
    expect(deprecations).toHaveLength(6);
    expect(deprecations).toContainEqual({
      origin: '-Dfollower.shift.giveUpSeconds',
      replacement: 'subscriber.shift.maxDeliveryAgeSeconds',
    });
  });

  test('may be mixed with the new prefix', () => {
    const { options } = load({
      file: 'subscriber.shift.kind = chat\nsubscriber.shift.url = https://x.org/\nsubscriber.shift.giveUpSeconds = 5',
    });
    expect(options.subscribers).toEqual([expect.objectContaining({ maxDeliveryAgeSeconds: 5 })]);
  });

  test('next to the new names are problems that name both', () => {
    expect(problemsOf({ properties: { ...former, 'subscriber.shift.maxDeliveryAgeSeconds': '9' } })).toEqual([
      '-Dfollower.shift.giveUpSeconds and -Dsubscriber.shift.maxDeliveryAgeSeconds are two names of one setting: use only subscriber.shift.maxDeliveryAgeSeconds',
    ]);
  });
});

describe('the options', () => {
  test('ignore the environment variables of the Python client', () => {
    const environment = { LOGBOOK_URL: 'https://a.example/logbook', LOGBOOK_TOKEN: 't', LOGBOOK_SPOOL: '/tmp' };
    expect(load({ environment }).deprecations).toEqual([]);
  });

  test('of an empty configuration are the defaults', () => {
    const { options, deprecations } = load({ environment: { LOGBOOK_PUBLIC_URL: '' } });
    expect(deprecations).toEqual([]);
    expect(options).toMatchObject({ initialCatalogFile: undefined, subscribers: [], auth: { oidc: undefined } });
    expect(options.http.publicUrl).toBeUndefined();
    expect(options.storage).toEqual({
      kind: 'embedded',
      dataDir: join(process.cwd(), 'logbook-data'),
      migrationCopy: true,
      searchThreads: 3,
      blobs: { kind: 'files' },
      index: { kind: 'embedded' },
    });
    expect(options.listeners.tls).toEqual({
      kind: 'self-signed',
      dir: join(process.cwd(), 'logbook-data', 'tls'),
    });
  });

  test('of PostgreSQL name every server, with its port, and how it is trusted', () => {
    writeFileSync(join(dir, 'password'), 'secret\n');
    const file = `storage = postgres
      postgresHosts = db1.example.org, 192.0.2.7:5433, [2001:db8::1]:5434
      postgresPasswordFile = password
      attachmentsDir = /mnt/attachments
      postgresStatementTimeout = 10s`;
    const { options, lines } = load({ file });
    expect(options.storage).toEqual({
      kind: 'postgres',
      dataDir: join(process.cwd(), 'logbook-data'),
      searchThreads: 3,
      attachmentsDir: '/mnt/attachments',
      blobs: { kind: 'files' },
      index: { kind: 'embedded' },
      snapshots: { intervalMs: 86_400_000, minFreeBytes: 268_435_456 },
      postgres: {
        hosts: [
          { host: 'db1.example.org', port: 5_432 },
          { host: '192.0.2.7', port: 5_433 },
          { host: '2001:db8::1', port: 5_434 },
        ],
        ...{ database: 'logbook', schema: 'logbook', user: 'logbook', password: 'secret' },
        tls: { kind: 'verified', caCertificates: undefined },
        ...{ poolSize: 10, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, failoverTimeoutMs: 20_000 },
      },
    });
    expect(lines.join()).not.toContain('secret');
    const open = load({
      properties: { storage: 'postgres', attachmentsDir: 'a', postgresTls: 'false', postgresPassword: 'secret' },
    });
    expect(open.options.storage).toMatchObject({ postgres: { tls: { kind: 'off' }, password: 'secret' } });
    expect(open.lines.join()).not.toContain('secret');
  });

  test('take a certificate from files, relative to the file that names them', () => {
    for (const name of ['c.pem', 'k.pem', 'i.p12']) writeFileSync(join(dir, name), '');
    const tlsOf = (file: string) => load({ file }).options.listeners.tls;
    expect(tlsOf('tlsCertificateFile = c.pem\ntlsKeyFile = file:k.pem')).toEqual({
      kind: 'pem',
      certificateFile: join(dir, 'c.pem'),
      keyFile: join(dir, 'k.pem'),
    });
    expect(tlsOf('tlsPkcs12File = classpath:i.p12')).toEqual({
      kind: 'pkcs12',
      file: join(dir, 'i.p12'),
      password: '',
    });
  });

  test('separate groups by commas alone', () => {
    const { options } = load({ properties: { adminGroups: 'Domain Admins, operators,' } });
    expect(options.auth.roleGroups.ADMIN).toEqual(['Domain Admins', 'operators']);
  });

  test('name groups with commas, and by DN, in double quotes', () => {
    const { options } = load({
      properties: { adminGroups: '"Smith, Jones", "say ""x""",plain, "CN=Log Admins, OU=Groups,DC=example,DC=org"' },
    });
    expect(options.auth.roleGroups.ADMIN).toEqual([
      'Smith, Jones',
      'say "x"',
      'plain',
      'CN=Log Admins, OU=Groups,DC=example,DC=org',
      'cn=log admins,ou=groups,dc=example,dc=org',
    ]);
  });

  test.each(['inmemory', 'IN_MEMORY', 'in-memory'])('know the provider %s', (authenticationProviders) => {
    expect(load({ properties: { authenticationProviders } }).options.auth.providers).toEqual([{ scheme: 'inMemory' }]);
  });

  test('can be set by keys of existing sites', () => {
    const { options } = load({
      file: 'spring.servlet.multipart.max-file-size=20MB\nspring.servlet.multipart.max-request-size=60MB',
    });
    expect(options.http).toMatchObject({ maxFileBytes: 20 * 1_048_576, maxRequestBytes: 60 * 1_048_576 });
  });

  test('cannot be set by other keys of existing sites: each problem names the replacement', () => {
    const file = 'server.port = 8181\nserver.http.enable = false\nmongo.host = db\nldap.base.dn = dc=x';
    expect(problemsOf({ file })).toEqual([
      'server.port in DIR/logbook.properties: unknown setting; use httpsPort. The port of the TLS listener',
      'server.http.enable in DIR/logbook.properties: unknown setting; use httpPort. Instead of false, write httpPort=off',
      'mongo.host in DIR/logbook.properties: unknown setting; remove it. The service stores everything itself',
      'ldap.base.dn in DIR/logbook.properties: unknown setting; use ldapPropertySource. The keys are unchanged, in the file that the setting names',
    ]);
  });

  test('turn a listener off', () => {
    expect(load({ properties: { httpPort: 'off' } }).options.listeners).toMatchObject({
      httpPort: 'off',
      httpsPort: 8181,
    });
  });

  test('report all problems together, also those of directories and of files that are missing', () => {
    writeFileSync(join(dir, 'embedded.properties'), 'embedded_ldap_ldif = gone.ldif');
    expect(
      problemsOf({
        file: 'authenticationProviders = embeddedLdap, ldap\nembeddedLdapPropertySource = embedded.properties\nldapPropertySource = gone.properties\ntlsPkcs12File = gone.p12\nrotPath = /x\nmaxFileSize = 15',
      }),
    ).toEqual([
      'rotPath in DIR/logbook.properties: unknown setting; did you mean rootPath?',
      'maxFileSize in DIR/logbook.properties is “15”; it needs a unit: write 15MB for megabytes, or 15B if you mean bytes',
      'tlsPkcs12File in DIR/logbook.properties is “gone.p12”; file not found',
      'embedded_ldap_ldif in DIR/embedded.properties is “gone.ldif”; file not found',
      'DIR/gone.properties: file not found',
    ]);
  });

  test('of OpenID Connect request no groups when the claim is empty, and need no client secret', () => {
    const properties = { oidcIssuer: 'https://login.example.org', oidcClientId: 'logbook', oidcGroupsClaim: '' };
    expect(load({ properties }).options.auth.oidc).toMatchObject({ clientSecret: undefined, groupsClaim: undefined });
  });

  test.each<[problem: string, properties: Record<string, string>]>([
    ['tlsCertificateFile and tlsKeyFile belong together', { tlsKeyFile: 'package.json' }],
    [
      'exclude each other',
      { tlsPkcs12File: 'package.json', tlsCertificateFile: 'package.json', tlsKeyFile: 'package.json' },
    ],
    ['httpPort and httpsPort are both off', { httpPort: 'off', httpsPort: 'OFF' }],
    ['maxFileSize (62914560 bytes) is above maxRequestSize (52428800 bytes)', { maxFileSize: '60MB' }],
    ['ldapp is not a provider; did you mean ldap?', { authenticationProviders: 'ldapp' }],
    ['a DN must be in double quotes', { adminGroups: 'cn=admins,dc=example' }],
    ['a comma or the end must follow the closing quote', { adminGroups: '"admins" x' }],
    ['it needs a unit: write 1023MB for megabytes, or 1023B', { maxEntrySize: '1023' }],
    ['there is no class path here', { ldapPropertySource: 'classpath:ldap.properties' }],
    ['oidcIssuer and oidcClientId belong together', { oidcClientId: 'logbook' }],
    ['oidcClientSecret has no effect without oidcIssuer', { oidcClientSecret: 'x' }],
    ['channelAccessAddresses has no effect without deviceNames', { channelAccessAddresses: '10.1.255.255' }],
    ['deviceNamesFromDirectory needs a directory', { deviceNamesFromDirectory: 'true' }],
    ['separated by commas: “host:70000”', { deviceNames: 'SR:*', channelAccessAddresses: '10.1.255.255,host:70000' }],
    ['separated by commas: “one two”', { deviceNames: 'SR:*', channelAccessAddresses: 'one two' }],
    ['httpPort and httpsPort are both 8080', { httpsPort: '8080' }],
    ['name at least one provider', { authenticationProviders: '' }],
    ['it must not be empty', { host: '' }],
    ['it must be embedded or postgres', { storage: 'mongo' }],
    [
      'each must be a host name or address',
      { storage: 'postgres', attachmentsDir: 'a', postgresHosts: 'db1.example.org/logbook' },
    ],
    ['postgresHosts is empty', { storage: 'postgres', attachmentsDir: 'a', postgresHosts: '' }],
    [
      'it must be a name of at most 51 lower-case letters',
      { storage: 'postgres', attachmentsDir: 'a', postgresSchema: 'a; DROP TABLE b' },
    ],
    [
      'exclude each other',
      { storage: 'postgres', attachmentsDir: 'a', postgresPassword: 'x', postgresPasswordFile: 'package.json' },
    ],
    ['postgresPassword has no effect with storage=embedded', { postgresPassword: 'x' }],
    ['postgresHosts has no effect with storage=embedded', { postgresHosts: 'db1.example.org' }],
    ['postgresUser has no effect with storage=embedded', { postgresUser: 'logbook' }],
    ['attachmentsDir is missing', { storage: 'postgres' }],
    ['attachmentsDir has no effect with storage=embedded', { attachmentsDir: 'a' }],
    ['file not found', { storage: 'postgres', attachmentsDir: 'a', postgresPasswordFile: 'no-such-file' }],
  ])('are refused: %s', (problem, properties) => {
    expect(problemsOf({ properties })).toEqual([expect.stringContaining(problem)]);
  });

  test('report an invalid setting only once', () => {
    expect(problemsOf({ properties: { oidcIssuer: 'nonsense', oidcClientId: 'logbook' } })).toHaveLength(1);
  });
});
