import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activeDirectoryKeys, type DirectoryKey, embeddedLdapKeys, ldapKeys } from './keys.js';
import {
  type DirectoryReading,
  readActiveDirectorySettings,
  readEmbeddedLdapSettings,
  readLdapSettings,
} from './read-directory-file.js';

let dir: string;
let file: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'logbook-source-'));
  file = join(dir, 'directory.properties');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Reads a file with these lines. */
async function reading<T>(
  read: (file: string) => DirectoryReading<T>,
  ...lines: string[]
): Promise<DirectoryReading<T>> {
  await writeFile(file, lines.join('\n'));
  return read(file);
}

async function problems(read: (file: string) => DirectoryReading<unknown>, ...lines: string[]): Promise<string> {
  const result = await reading(read, ...lines);
  return 'problems' in result ? result.problems.join('\n').replaceAll(file, 'FILE') : 'none';
}

const usual = ['ldap.urls = ldaps://ldap.example.org', 'ldap.base.dn = dc=example,dc=org'];

describe('the LDAP source', () => {
  test('all keys are read, and DNs are completed by the base DN', async () => {
    const [certificate = ''] = rootCertificates;
    await writeFile(join(dir, 'ca.pem'), certificate);
    const result = await reading(
      readLdapSettings,
      'ldap.urls = ldaps://a.example.org:1636/, ldap://b.example.org  ldap://[::1]:389',
      'ldap.starttls = on',
      `ldap.ca.file = ${join(dir, 'ca.pem')}`,
      'ldap.connect.timeout = 250ms',
      'ldap.operation.timeout = 10s',
      'ldap.base.dn = dc=example,dc=org',
      'ldap.user.dn.pattern = uid={0},ou=people',
      'ldap.user.search.base = ou=staff, DC=Example, dc=org',
      'ldap.user.search.filter = uid={0}',
      'ldap.user.name.attribute = cn',
      'ldap.groups.search.base = ou=groups',
      'ldap.groups.search.pattern = (memberUid= {1})',
      'ldap.manager.dn = cn=manager',
      'ldap.manager.password = pass:word=#!',
    );
    expect(result).toEqual({
      settings: {
        urls: ['ldaps://a.example.org:1636', 'ldap://b.example.org', 'ldap://[::1]:389'],
        startTls: true,
        caCertificates: certificate,
        connectTimeoutMs: 250,
        operationTimeoutMs: 10_000,
        nameAttribute: 'cn',
        userDnPattern: 'uid={0},ou=people,dc=example,dc=org',
        userSearch: { base: 'ou=staff, DC=Example, dc=org', filter: '(uid={0})' },
        groupSearch: { base: 'ou=groups,dc=example,dc=org', filter: '(memberUid= {1})' },
        manager: { dn: 'cn=manager,dc=example,dc=org', password: 'pass:word=#!' },
      },
    });
  });

  test('a minimal file: the other keys have their defaults', async () => {
    const result = await reading(readLdapSettings, ...usual, 'ldap.user.search.base = ou=people');
    expect(result).toEqual({
      settings: {
        urls: ['ldaps://ldap.example.org'],
        startTls: false,
        caCertificates: undefined,
        connectTimeoutMs: 5_000,
        operationTimeoutMs: 5_000,
        nameAttribute: 'uid',
        userDnPattern: undefined,
        userSearch: { base: 'ou=people,dc=example,dc=org', filter: '(uid={0})' },
        groupSearch: undefined,
        manager: undefined,
      },
    });
  });

  test('a base DN may follow the address', async () => {
    const url = 'ldap.urls = ldap://ldap.example.org/dc=example,dc=org';
    expect(await reading(readLdapSettings, url, 'ldap.user.dn.pattern = uid={0},ou=people')).toMatchObject({
      settings: { urls: ['ldap://ldap.example.org'], userDnPattern: 'uid={0},ou=people,dc=example,dc=org' },
    });
  });

  test.each([
    ['cn=manager', 'cn=manager,dc=example,dc=org'],
    ['cn=manager, ou=services', 'cn=manager, ou=services,dc=example,dc=org'],
    ['cn=manager,DC=Example, dc=org', 'cn=manager,DC=Example, dc=org'],
    ['cn=manager,dc=org', 'cn=manager,dc=org'],
    ['cn=Directory Manager', 'cn=Directory Manager'],
    ['cn=admin,cn=config', 'cn=admin,cn=config'],
    ['logbook@example.org', 'logbook@example.org'],
  ])('the manager %s is %s', async (dn, complete) => {
    const lines = [...usual, 'ldap.user.dn.pattern = uid={0}', `ldap.manager.dn = ${dn}`, 'ldap.manager.password = x'];
    expect(await reading(readLdapSettings, ...lines)).toMatchObject({ settings: { manager: { dn: complete } } });
  });

  test.each([
    ['ldap.user.search.filter = (|(mail={0})(uid={0}))', 'uid'],
    ['ldap.user.dn.pattern = cn={0},ou=people', 'uid'],
    ['ldap.user.search.filter = (|(mail={0})(sAMAccountName={0}))', 'sAMAccountName'],
  ])('with %s, the name is the value of %s, which users cannot change', async (line, nameAttribute) => {
    expect(await reading(readLdapSettings, ...usual, line)).toMatchObject({ settings: { nameAttribute } });
  });

  test('relative paths are relative to the file that names them', async () => {
    await writeFile(join(dir, 'beside.pem'), rootCertificates[0] ?? '');
    for (const path of [
      'beside.pem',
      './beside.pem',
      'file:beside.pem',
      `file://${dir}/beside.pem`,
      'classpath:beside.pem',
    ]) {
      const lines = [...usual, 'ldap.user.dn.pattern = uid={0}', `ldap.ca.file = ${path}`];
      const caCertificates = rootCertificates[0];
      expect(await reading(readLdapSettings, ...lines), path).toMatchObject({ settings: { caCertificates } });
    }
  });

  test('keys of other directories are ignored', async () => {
    const lines = [
      ...usual,
      'ldap.user.search.filter = (uid={0})',
      'ad.domain = example.org',
      'embedded_ldap.port = x',
    ];
    expect(await reading(readLdapSettings, ...lines)).toHaveProperty('settings');
  });

  test('all problems are reported together, and none contains the password', async () => {
    const told = await problems(
      readLdapSettings,
      'ldap.urls = http://ldap.example.org',
      'ldap.user.dn.patern = uid={0}',
      'ldap.user.search.filter = (uid={0}',
      'ldap.groups.search.pattern = (member=x)',
      'ldap.starttls = maybe',
      'ldap.ca.file = /nowhere/ca.pem',
      'ldap.connect.timeout = soon',
      'ldap.manager.pasword = geheim',
      'something.else = geheim',
    );
    expect(told.split('\n')).toEqual([
      'ldap.user.dn.patern in FILE: unknown key; did you mean ldap.user.dn.pattern?',
      'ldap.manager.pasword in FILE: unknown key; did you mean ldap.manager.password?',
      expect.stringMatching(/^something.else in FILE: unknown key; the keys are ldap.urls, /),
      expect.stringContaining('ldap.urls in FILE is “http://ldap.example.org”; each URL must look like ldap://'),
      'ldap.starttls in FILE is “maybe”; it must be true or false',
      'ldap.ca.file in FILE is “/nowhere/ca.pem”; file not found',
      'ldap.connect.timeout in FILE is “soon”; it must be a time such as 5s, at most 10m',
      'ldap.user.search.filter in FILE is “(uid={0}”; its parentheses do not match',
      'ldap.groups.search.pattern in FILE is “(member=x)”; it must contain {0} for the DN of the user, or {1} for the user name',
    ]);
    expect(told).not.toContain('geheim');
  });

  test.each([
    [
      'a base DN that is not correctly encoded',
      ['ldap.urls = ldap://a.example.org/o=50%E9'],
      'a % in the base DN must be written as %25',
    ],
    ['no server', [], 'ldap.urls is not set'],
    ['no way to find users', usual, 'does not specify how to find users'],
    ['nowhere to search', ['ldap.urls = ldap://a', 'ldap.user.search.filter = (uid={0})'], 'ldap.base.dn is not set'],
    [
      'a manager without a password',
      [...usual, 'ldap.manager.dn = cn=m', 'ldap.user.search.base = ou=p'],
      'belong together',
    ],
    ['a filter without a name', [...usual, 'ldap.user.search.filter = (uid=jane)'], '{0}'],
    ['two filters', [...usual, 'ldap.user.search.filter = (uid={0})(cn={0})'], 'parentheses'],
    ['a pattern without a name', [...usual, 'ldap.user.dn.pattern = ou=people'], '{0}'],
    ['two base DNs', ['ldap.urls = ldap://a/dc=a ldap://b/dc=b', 'ldap.user.dn.pattern = uid={0}'], 'the same base DN'],
    ['a password in the address', ['ldap.urls = ldap://u:p@a', 'ldap.user.dn.pattern = uid={0}'], 'must look like'],
    ['a file that is no certificate', [...usual, 'ldap.ca.file = package.json'], 'PEM'],
  ])('%s is a problem', async (_case, lines, words) => {
    expect(await problems(readLdapSettings, ...lines)).toContain(words);
  });

  test('a missing file is the only problem that is reported', () => {
    expect(readLdapSettings(join(dir, 'gone'))).toEqual({ problems: [`${join(dir, 'gone')}: file not found`] });
  });
});

describe('the source of the embedded directory', () => {
  const sample = {
    port: 8389,
    ldifFile: undefined,
    baseDn: 'dc=logbook,dc=example',
    ldap: {
      urls: ['ldap://127.0.0.1:8389'],
      startTls: false,
      caCertificates: undefined,
      connectTimeoutMs: 5_000,
      operationTimeoutMs: 5_000,
      nameAttribute: 'uid',
      userDnPattern: 'uid={0},ou=people,dc=logbook,dc=example',
      userSearch: undefined,
      groupSearch: {
        base: 'ou=groups,dc=logbook,dc=example',
        filter: '(|(member={0})(memberUid={1})(uniqueMember={0}))',
      },
      manager: undefined,
    },
  };

  test('without settings, it is the sample directory', async () => {
    expect(readEmbeddedLdapSettings(undefined)).toEqual({ settings: sample });
    expect(await reading(readEmbeddedLdapSettings, '# nothing')).toEqual({ settings: sample });
  });

  test.each(['embedded_ldap.port', 'spring.ldap.embedded.port'])('the port by %s', async (key) => {
    const result = await reading(
      readEmbeddedLdapSettings,
      `${key} = 10389`,
      `embedded_ldap_ldif = ${file}`,
      'embedded_ldap.urls = ldap://localhost:10389/dc=site,dc=org',
    );
    expect(result).toMatchObject({
      settings: {
        port: 10_389,
        ldifFile: file,
        baseDn: 'dc=site,dc=org',
        ldap: { urls: ['ldap://127.0.0.1:10389'], userDnPattern: 'uid={0},ou=people,dc=site,dc=org' },
      },
    });
  });

  test('the file of an existing site is read', async () => {
    await writeFile(join(dir, 'site.ldif'), 'dn: dc=site\nobjectClass: domain\ndc: site\n');
    const result = await reading(
      readEmbeddedLdapSettings,
      'embedded_ldap.enabled = true',
      'embedded_ldap.urls = ldap://localhost:8389/dc=site,dc=org',
      'embedded_ldap.base.dn = dc=site,dc=org',
      'embedded_ldap.user.dn.pattern = uid={0},ou=People',
      'spring.ldap.embedded.ldif=classpath:site.ldif',
      'spring.ldap.embedded.base-dn=dc=site,dc=org',
      'spring.ldap.embedded.port=8389',
      'spring.ldap.embedded.validation.enabled=false',
    );
    expect(result).toMatchObject({
      settings: {
        ldifFile: join(dir, 'site.ldif'),
        baseDn: 'dc=site,dc=org',
        ldap: { groupSearch: { base: 'ou=groups,dc=site,dc=org' } },
      },
    });
  });

  test.each([
    [
      'spring.ldap.embedded.ldif = classpath:gone.ldif',
      /there is no class path here, and no such file at .*gone\.ldif/,
    ],
    ['embedded_ldap_ldif = gone.ldif', /embedded_ldap_ldif in FILE is “gone.ldif”; file not found/],
    ['embedded_ldap_ldif = file://elsewhere/x', /it must look like file:\/path/],
  ])('%s is a problem', async (line, problem) => {
    expect(await problems(readEmbeddedLdapSettings, line)).toMatch(problem);
  });

  test.each([
    [
      'two ports',
      ['embedded_ldap.port = 1', 'spring.ldap.embedded.port = 2'],
      'two names of one setting: use only embedded_ldap.port',
    ],
    ['another host', ['embedded_ldap.urls = ldap://ldap.example.org:8389'], 'remove the key'],
    ['another port in the address', ['embedded_ldap.urls = ldap://localhost:1389'], 'remove the key'],
    ['TLS', ['embedded_ldap.starttls = true'], 'does not use TLS'],
    ['no port', ['embedded_ldap.port = 99999'], 'from 0 to 65535'],
    ['a typo', ['embedded_ldap.prt = 1'], 'did you mean embedded_ldap.port?'],
  ])('%s is a problem', async (_case, lines, words) => {
    expect(await problems(readEmbeddedLdapSettings, ...lines)).toContain(words);
  });
});

describe('the Active Directory source', () => {
  test('an address and a domain are enough; ldap:// is encrypted', async () => {
    const lines = ['ad.url = ldap://dc1.ad.example.org, ldaps://dc2.ad.example.org', 'ad.domain = ad.example.org'];
    expect(await reading(readActiveDirectorySettings, ...lines)).toEqual({
      settings: {
        urls: ['ldap://dc1.ad.example.org', 'ldaps://dc2.ad.example.org'],
        startTls: true,
        caCertificates: undefined,
        connectTimeoutMs: 5_000,
        operationTimeoutMs: 5_000,
        domain: 'ad.example.org',
        baseDn: 'dc=ad,dc=example,dc=org',
        nameAttribute: 'sAMAccountName',
        groupBaseDn: 'dc=ad,dc=example,dc=org',
        manager: undefined,
      },
    });
  });

  test('an address and a domain are required', async () => {
    expect(await problems(readActiveDirectorySettings)).toMatch(/ad\.url is not set.*\nad\.domain is not set/);
    expect(await problems(readActiveDirectorySettings, 'ad.domain = a b', 'ad.urls = ldap://x')).toMatch(
      /did you mean ad\.url\?\n.*must look like example\.org/,
    );
  });
});

test('every key has a description, a valid default and valid examples', () => {
  const all = [ldapKeys, embeddedLdapKeys, activeDirectoryKeys].flatMap((keys) =>
    Object.values<DirectoryKey<unknown>>(keys),
  );
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
  for (const { key, parse, defaultText, description, examples } of all) {
    expect(description, key).toMatch(/^[A-Z].*\.$/);
    // The files that the examples name do not exist here.
    const told = [examples.openLdap, examples.activeDirectory].filter((text) => !/^$|\.(pem|ldif)$/.test(text));
    for (const text of [defaultText, ...told]) expect(() => parse(text), key).not.toThrow();
  }
});
