import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AuthenticationProvider } from '../../src/auth/authentication-provider.port.js';
import { readActiveDirectorySettings } from '../../src/config/directory/read-directory-file.js';
import { activeDirectoryProvider } from '../../src/integrations/ldap/active-directory-provider.js';
import type { ActiveDirectoryOptions } from '../../src/integrations/ldap/ldap-options.js';
import { ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import type { Log } from '../../src/kernel/log.js';
import { recordingLog } from '../fixtures/log.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { directoryUnavailable, unavailableMessage } from './expectations.js';
import { hasSamba, manySambaGroups, Samba, sambaBase, sambaDomain, sambaPassword } from './samba.js';

describe.skipIf(!hasSamba)('signing in with an Active Directory domain (needs samba-ad-dc and root)', () => {
  let samba: Samba;
  let providers: AuthenticationProvider[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    samba = await Samba.start();
  });
  afterEach(async () => {
    await Promise.all(providers.map((provider) => provider.close()));
    providers = [];
    logged.length = 0;
  });
  afterAll(() => samba?.stop());

  const log: Log = recordingLog(logged).log;

  const connection = () => ({
    urls: [samba.tlsUrl],
    startTls: true,
    caCertificates: samba.certificate.ca,
    connectTimeoutMs: 60_000,
    operationTimeoutMs: 60_000,
  });

  function provider(settings: Partial<ActiveDirectoryOptions> = {}): AuthenticationProvider {
    const created = activeDirectoryProvider(
      {
        ...connection(),
        domain: sambaDomain,
        baseDn: sambaBase,
        nameAttribute: 'sAMAccountName',
        groupBaseDn: sambaBase,
        manager: undefined,
        ...settings,
      },
      log,
    );
    providers.push(created);
    return created;
  }

  const groupsOf = (...names: string[]) =>
    [...names, ...names.map((name) => `cn=${name.toLowerCase()},cn=users,dc=logbook,dc=example`)].sort();

  const janeOfTheDomain = {
    kind: 'accepted',
    identity: { userName: 'Jane', groups: groupsOf('Domain Users', 'inner', 'outer'), roles: [] },
  };

  test.each([
    'jane',
    'JANE',
    'Jane@logbook.example',
    'jane@LOGBOOK.EXAMPLE',
    'jane.doe@logbook.example',
    'LOGBOOK\\jane',
    'logbook\\JANE',
    // The principal name, completed.
    'jane.doe',
  ])('%s is Jane, with direct and indirect groups', async (userName) => {
    expect(await provider().authenticate({ userName, password: sambaPassword })).toEqual(janeOfTheDomain);
  });

  test.each(['zoë', 'ZOË@logbook.example', 'LOGBOOK\\Zoë'])(
    '%s with a non-ASCII password is accepted',
    async (userName) => {
      const result = await provider().authenticate({ userName, password: 'Pässw0rd 密码' });
      expect(result).toMatchObject({ kind: 'accepted', identity: { userName: 'Zoë' } });
    },
  );

  test.each([
    ['a wrong password', { userName: 'victim', password: 'wrong' }],
    ['an empty password', { userName: 'jane', password: '' }],
    ['1 MB of password', { userName: 'jane', password: 'x'.repeat(1_048_576) }],
    ['1 MB of name', { userName: 'x'.repeat(1_048_576), password: sambaPassword }],
    ['an empty name', { userName: '', password: sambaPassword }],
    ['an unknown name', { userName: 'nobody', password: sambaPassword }],
    ['a name with an empty domain', { userName: '\\jane', password: sambaPassword }],
    ['a name without a user', { userName: 'LOGBOOK\\', password: sambaPassword }],
    ['a suffix without a user', { userName: '@logbook.example', password: sambaPassword }],
    ['another domain', { userName: 'jane@other.example', password: sambaPassword }],
    ['an unknown domain', { userName: 'OTHER\\jane', password: sambaPassword }],
    ['a wildcard', { userName: 'jan*', password: sambaPassword }],
    ['a filter', { userName: 'jane)(cn=*', password: sambaPassword }],
    ['a mechanism', { userName: 'EXTERNAL', password: sambaPassword }],
    ['a NUL', { userName: 'jane\0', password: sambaPassword }],
    ['a DN', { userName: `CN=Jane,CN=Users,${sambaBase}`, password: sambaPassword }],
  ])('%s is unknown', async (_case, credentials) => {
    expect(await provider().authenticate(credentials)).toEqual({ kind: 'unknown' });
    expect(logged).toEqual([]);
  });

  test.each([
    ['disabled', 'disabled'],
    ['expired', 'account has expired'],
    ['must-change', 'must change your password'],
  ])('the account “%s” is refused with the reason', async (userName, words) => {
    const result = await provider().authenticate({ userName, password: sambaPassword });
    expect(result).toEqual({ kind: 'refused', reason: expect.stringContaining(words) });
    expect(JSON.stringify(result)).not.toMatch(/DC=|CN=|data|Pass/);
    expect(await provider().authenticate({ userName, password: 'wrong' })).toEqual({ kind: 'unknown' });
  });

  test('an account locked after wrong passwords is refused with the reason', async () => {
    const directory = provider();
    for (let i = 0; i < 3; i++) await directory.authenticate({ userName: 'locked', password: 'wrong' });
    expect(await directory.authenticate({ userName: 'locked', password: sambaPassword })).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('locked'),
    });
  });

  test('a principal name that contains the account name of another user does not lead to that user', async () => {
    const mallory = { userName: 'victim@elsewhere.example', password: 'Mall0ry-passw0rd' };
    expect(await provider().authenticate(mallory)).toMatchObject({
      kind: 'accepted',
      identity: { userName: 'mallory', groups: groupsOf('Domain Users') },
    });
    const confused = await provider({ domain: 'elsewhere.example' }).authenticate({ ...mallory, userName: 'victim' });
    expect(confused).toMatchObject({
      kind: 'accepted',
      identity: { userName: 'mallory', groups: groupsOf('Domain Users') },
    });
  });

  test('a user outside the base DN is refused', async () => {
    const elsewhere = provider({ baseDn: `OU=Domain Controllers,${sambaBase}` });
    expect(await elsewhere.authenticate({ userName: 'jane', password: sambaPassword })).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('not in the domain'),
    });
  });

  test('a group has the name that is unique in its domain, not that of a group elsewhere', async () => {
    const victim = await provider().authenticate({ userName: 'victim', password: sambaPassword });
    expect(victim).toMatchObject({
      identity: { groups: expect.arrayContaining(['delegated-outer', 'cn=outer,ou=delegated,dc=logbook,dc=example']) },
    });
    expect(victim).toMatchObject({ identity: { groups: expect.not.arrayContaining(['outer']) } });
  });

  test('groups outside the group base do not count', async () => {
    const groupBaseDn = `OU=Delegated,${sambaBase}`;
    const result = await provider({ groupBaseDn }).authenticate({ userName: 'jane', password: sambaPassword });
    expect(result).toMatchObject({ kind: 'accepted', identity: { groups: [] } });
  });

  test('a member of more groups than a page holds has all of them', async () => {
    const result = await provider().authenticate({ userName: 'member', password: sambaPassword });
    if (result.kind !== 'accepted') throw new Error(JSON.stringify(result));
    expect(result.identity.groups).toHaveLength(2 * (manySambaGroups + 1));
  });

  test('a user name that two accounts have is refused, and the log says why', async () => {
    const directory = provider({ nameAttribute: 'employeeID' });
    expect(await directory.authenticate({ userName: 'clerk', password: sambaPassword })).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('Several accounts'),
    });
    // Other than the partitions that the directory refers to.
    expect(logged.filter((line) => !line.includes('LDAP referral'))).toEqual([
      expect.stringContaining('several directory entries have the user name'),
    ]);
  });

  describe('an account that is checked again', () => {
    const manager = { dn: `victim@${sambaDomain}`, password: sambaPassword };

    test('cannot be looked up without a manager', () => {
      expect(provider().recheck).toBeUndefined();
    });

    test('is open, with the same groups as at the sign-in', async () => {
      const { groups } = janeOfTheDomain.identity;
      expect(await provider({ manager }).recheck?.('Jane')).toEqual({ kind: 'open', groups });
      expect(await provider({ manager }).recheck?.('must-change')).toMatchObject({ kind: 'open' });
    });

    test.each(['disabled', 'expired', 'nobody'])('is closed: %s', async (userName) => {
      expect(await provider({ manager }).recheck?.(userName)).toEqual({ kind: 'closed' });
    });

    test('is closed while it is locked', async () => {
      const directory = provider({ manager });
      expect(await directory.recheck?.('locked-later')).toMatchObject({ kind: 'open' });
      for (let i = 0; i < 3; i++) await directory.authenticate({ userName: 'locked-later', password: 'wrong' });
      expect(await directory.recheck?.('locked-later')).toEqual({ kind: 'closed' });
    });

    test('is unknown when the manager is refused, or sees no users', async () => {
      const refused = provider({ manager: { ...manager, password: 'wrong' } });
      expect(await refused.recheck?.('Jane')).toEqual({ kind: 'unknown' });
      expect(logged.join()).toContain('LDAP account check failed');
      const elsewhere = provider({ manager, baseDn: `OU=Delegated,${sambaBase}` });
      expect(await elsewhere.recheck?.('Jane')).toEqual({ kind: 'unknown' });
    });
  });

  test('StartTLS works', async () => {
    const directory = provider({ urls: [samba.url] });
    expect(await directory.authenticate({ userName: 'jane', password: sambaPassword })).toEqual(janeOfTheDomain);
  });

  test('the options of a property file work', async () => {
    const dir = await makeTempDir();
    const file = join(dir, 'ad.properties');
    const lines = [`ad.url = ${samba.url}/`, 'ad.domain = logbook.example', `ad.ca.file = ${samba.certificate.caFile}`];
    await writeFile(file, lines.join('\n'));
    const source = readActiveDirectorySettings(file);
    await rm(dir, { recursive: true });
    if ('problems' in source) throw new Error(source.problems.join('\n'));
    const directory = provider(source.settings);
    expect(await directory.authenticate({ userName: 'jane', password: sambaPassword })).toEqual(janeOfTheDomain);
  });

  test('without encryption the directory is unavailable, and the log says why', async () => {
    const directory = provider({ urls: [samba.url], startTls: false });
    const signIn = directory.authenticate({ userName: 'jane', password: sambaPassword });
    expect(await unavailableMessage(signIn)).toBe(directoryUnavailable);
    expect(logged.join()).toContain('ncryption required');
  });

  test.each(['ldaps', 'ldap'])('%s with an untrusted certificate is refused', async (protocol) => {
    const directory = provider({ urls: [`${protocol}://${samba.address}`], caCertificates: undefined });
    const signIn = directory.authenticate({ userName: 'jane', password: sambaPassword });
    expect(await unavailableMessage(signIn)).toBe(directoryUnavailable);
    expect(logged.join()).toContain('certificate');
  });

  test('the plain LDAP provider works too, with the same reasons', async () => {
    const directory = ldapProvider(
      'ldap',
      {
        ...connection(),
        nameAttribute: 'sAMAccountName',
        userDnPattern: undefined,
        userSearch: { base: sambaBase, filter: '(sAMAccountName={0})' },
        groupSearch: { base: sambaBase, filter: '(member:1.2.840.113556.1.4.1941:={0})' },
        manager: { dn: `victim@${sambaDomain}`, password: sambaPassword },
      },
      log,
    );
    providers.push(directory);
    expect(await directory.authenticate({ userName: 'JANE', password: sambaPassword })).toMatchObject({
      identity: {
        userName: 'Jane',
        // Another group below the base is called outer, too.
        groups: groupsOf('inner', 'outer').filter((name) => name !== 'outer'),
      },
    });
    expect(await directory.authenticate({ userName: 'zoë', password: 'Pässw0rd 密码' })).toMatchObject({
      identity: { userName: 'Zoë', groups: [] },
    });
    expect(await directory.authenticate({ userName: 'disabled', password: sambaPassword })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('disabled'),
    });
  });

  test('over HTTP, groups become roles, and the response and the audit record say why an account is refused', async () => {
    const dir = await makeTempDir();
    const file = join(dir, 'ad.properties');
    await writeFile(
      file,
      `ad.url = ${samba.tlsUrl}\nad.domain = ${sambaDomain}\nad.ca.file = ${samba.certificate.caFile}\n`,
    );
    const logbook = await TestService.start({
      authenticationProviders: 'activeDirectory,inMemory',
      activeDirectoryPropertySource: file,
      permissions: 'roles',
      logGroups: 'Outer',
    });
    try {
      const as = (userName: string) => ({ as: `${userName}:${sambaPassword}` });
      const entry = { title: 'x', logbooks: [{ name: 'operations' }] };
      expect((await logbook.put('/logs', entry, as('LOGBOOK\\jane'))).body).toMatchObject({ owner: 'Jane' });
      const refused = await logbook.put('/logs', entry, as('disabled'));
      expect(refused).toMatchObject({ status: 401, body: { code: 'auth.account-refused' } });
      expect(refused.body.message).toMatch(/disabled/);
      expect(refused.body.message).not.toMatch(/DC=|CN=|data/);
      const [record] = (await logbook.get('/audit?outcome=refused', { as: 'admin:adminPass' })).body;
      expect(record).toMatchObject({ userName: 'disabled', action: 'sign-in' });
      expect(record.detail).toMatch(/^auth\.account-refused: .*disabled/);
    } finally {
      await logbook.stop();
      await rm(dir, { recursive: true });
    }
  });
});
