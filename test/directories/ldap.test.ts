import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AuthenticationProvider } from '../../src/auth/authentication-provider.port.js';
import { readLdapSettings } from '../../src/config/directory/read-directory-file.js';
import type { LdapOptions } from '../../src/integrations/ldap/ldap-options.js';
import { ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import { recordingLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';
import { directoryUnavailable, unavailableMessage } from './expectations.js';
import { hardName, hasSlapd, manyGroups, Slapd, slapdBase, slapdManager } from './slapd.js';

describe.skipIf(!hasSlapd)('signing in with an OpenLDAP directory (needs slapd)', () => {
  let slapd: Slapd;
  let providers: AuthenticationProvider[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    slapd = await Slapd.start();
  });
  afterEach(async () => {
    await Promise.all(providers.map((provider) => provider.close()));
    providers = [];
    logged.length = 0;
  });
  afterAll(() => slapd?.stop());

  function provider(settings: Partial<LdapOptions>): AuthenticationProvider {
    const created = ldapProvider('ldap', { ...base(), ...settings }, recordingLog(logged).log);
    providers.push(created);
    return created;
  }

  const base = (): LdapOptions => ({
    urls: [slapd.url],
    startTls: false,
    caCertificates: undefined,
    connectTimeoutMs: 60_000,
    operationTimeoutMs: 60_000,
    nameAttribute: 'uid',
    userDnPattern: undefined,
    userSearch: undefined,
    groupSearch: undefined,
    manager: undefined,
  });
  const byPattern = { userDnPattern: `uid={0},ou=people,${slapdBase}` };
  const bySearch = { userSearch: { base: slapdBase, filter: '(|(uid={0})(mail={0}))' } };
  const groupSearch = { base: `ou=groups,${slapdBase}`, filter: '(|(member={0})(memberUid={1}))' };
  const jane = { userName: 'jane', password: 'jane:pass:word' };
  /** Mail addresses of some users; impostor has the user name of another one. */
  const mails: Readonly<Record<string, string>> = {
    ...{ Jane: 'jane@logbook.example', twin: 'twin@logbook.example', victim: 'v@logbook.example' },
  };
  const accepted = (userName: string, groups: string[] = []) => ({
    kind: 'accepted',
    identity: {
      userName,
      displayName: 'x',
      mail: mails[userName],
      groups: [...groups.map((name) => `cn=${name},ou=groups,${slapdBase}`), ...groups],
      roles: [],
    },
  });

  const ways: [string, Partial<LdapOptions>][] = [
    ['by DN pattern', byPattern],
    ['by DN pattern, with a manager', { ...byPattern, manager: slapdManager }],
    ['by search', bySearch],
    ['by search, with a manager', { ...bySearch, manager: slapdManager }],
    ['by pattern, then search', { ...byPattern, ...bySearch }],
  ];

  describe.each(ways)('%s', (_way, settings) => {
    test.each(['jane', 'Jane', 'JANE'])(
      '%s is one user, spelled as in the directory, with groups',
      async (userName) => {
        const ldap = provider({ ...settings, groupSearch });
        expect(await ldap.authenticate({ ...jane, userName })).toEqual(accepted('Jane', ['operators', 'shift']));
      },
    );

    test('non-ASCII names and passwords work', async () => {
      const zoë = { userName: 'zoë ångström', password: 'pässwörd 密码 😀' };
      expect(await provider(settings).authenticate(zoë)).toEqual(accepted('Zoë Ångström'));
    });

    test.each([
      ['a wrong password', { ...jane, password: 'wrong' }],
      ['an empty password', { ...jane, password: '' }],
      ['a truncated password', { ...jane, password: 'jane' }],
      ['a password followed by NUL', { ...jane, password: `${jane.password}\0x` }],
      ['1 MB of password', { ...jane, password: 'x'.repeat(1_048_576) }],
      ['1 MB of name', { ...jane, userName: 'x'.repeat(1_048_576) }],
      ['an empty name', { ...jane, userName: '' }],
      ['an unknown name', { ...jane, userName: 'nobody' }],
      ['a name with a lone surrogate', { ...jane, userName: 'jane\ud800' }],
    ])('%s is unknown', async (_case, credentials) => {
      expect(await provider(settings).authenticate(credentials)).toEqual({ kind: 'unknown' });
      expect(logged).toEqual([]);
    });

    test.each([
      '*',
      'j*',
      '*)(uid=*',
      'x)(|(uid=*',
      'admin)(&)',
      'admin\\00',
      'admin\0',
      'admin\\2a',
      '\\61dmin',
      'x,uid=admin',
      'admin,ou=people,dc=logbook,dc=example',
      'uid=admin',
      'admin+cn=x',
      'x"admin"',
      '#admin',
      'admin;',
      '{0}',
      '$&',
      'EXTERNAL',
      'admin\n',
    ])('the name %j is unknown', async (userName) => {
      const result = await provider(settings).authenticate({ userName, password: 'admin-pass' });
      expect(result).toEqual({ kind: 'unknown' });
    });

    test('spaces around a name never lead to another user', async () => {
      const result = await provider(settings).authenticate({ userName: '  admin ', password: 'admin-pass' });
      expect([accepted('admin'), { kind: 'unknown' }]).toContainEqual(result);
    });
  });

  test('a name made of all special characters finds only its own entry', async () => {
    const ldap = provider({ ...bySearch, groupSearch });
    const result = await ldap.authenticate({ userName: hardName, password: 'hard-pass' });
    expect(result).toMatchObject({ kind: 'accepted', identity: { userName: hardName, groups: [] } });
  });

  test('the options of a property file work', async () => {
    const dir = await makeTempDir();
    const file = join(dir, 'ldap.properties');
    const lines = [
      `ldap.urls = ${slapd.tlsUrl}/${slapdBase}`,
      `ldap.ca.file = ${slapd.certificate.caFile}`,
      'ldap.user.dn.pattern = uid={0},ou=people',
      'ldap.groups.search.base = ou=groups',
      'ldap.groups.search.pattern = (memberUid= {1})',
      `ldap.manager.dn = ${slapdManager.dn}`,
      `ldap.manager.password = ${slapdManager.password}`,
    ];
    await writeFile(file, lines.join('\n'));
    const source = readLdapSettings(file);
    await rm(dir, { recursive: true });
    if ('problems' in source) throw new Error(source.problems.join('\n'));
    expect(await provider(source.settings).authenticate(jane)).toEqual(accepted('Jane', ['shift']));
  });

  test('an ambiguous user name is unknown, and the log says why', async () => {
    const ldap = provider(bySearch);
    const result = await ldap.authenticate({ userName: 'twin@logbook.example', password: 'twin-pass' });
    expect(result).toEqual({ kind: 'unknown' });
    expect(logged).toEqual([expect.stringContaining('several directory entries')]);
  });

  test('a user found by mail has the same user name as one found by name', async () => {
    const ldap = provider(bySearch);
    expect(await ldap.authenticate({ ...jane, userName: 'jane@LOGBOOK.example' })).toEqual(accepted('Jane'));
  });

  test('one wrong password counts once towards a lock, even when pattern and search find the same entry', async () => {
    const ldap = provider({ ...byPattern, ...bySearch });
    const careful = { userName: 'Careful.Person', password: 'careful-pass' };
    expect(await ldap.authenticate({ ...careful, password: 'x' })).toEqual({ kind: 'unknown' });
    expect(await ldap.authenticate(careful)).toEqual(accepted('careful.person'));
    for (let i = 0; i < 2; i++) await ldap.authenticate({ ...careful, password: 'x' });
    expect(await ldap.authenticate(careful)).toEqual({ kind: 'unknown' });
  });

  test('a user who must change the password first is refused with that reason', async () => {
    const newcomer = { userName: 'newcomer', password: 'new-pass' };
    expect(await provider(byPattern).authenticate(newcomer)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('change'),
    });
    expect(await provider(byPattern).authenticate({ ...newcomer, password: 'x' })).toEqual({ kind: 'unknown' });
  });

  test('a user whose entry shows no name is refused; the name that was typed is never taken', async () => {
    const hidden = { userDnPattern: `uid={0},ou=hidden,${slapdBase}`, groupSearch };
    const mole = { userName: 'MOLE', password: 'mole-pass' };
    expect(await provider(hidden).authenticate(mole)).toMatchObject({ kind: 'refused' });
    expect(logged).toEqual([expect.stringContaining('no single readable user name')]);
    const managed = provider({ ...hidden, manager: slapdManager });
    expect(await managed.authenticate(mole)).toEqual(accepted('mole', ['shift']));
    expect(logged).toHaveLength(1);
  });

  describe('the user name', () => {
    const byMail = { userSearch: { base: slapdBase, filter: '(|(mail={0})(uid={0}))' } };

    test('comes from the name attribute, whichever attribute of the filter has matched', async () => {
      const ldap = provider(byMail);
      const victim = { userName: 'v@logbook.example', password: 'victim-pass' };
      expect(await ldap.authenticate(victim)).toEqual(accepted('victim'));
    });

    test('of another user, written into one’s own mail, opens neither account, and the log says why', async () => {
      const ldap = provider(byMail);
      expect(await ldap.authenticate({ userName: 'victim', password: 'impostor-pass' })).toEqual({ kind: 'unknown' });
      expect(logged).toEqual([expect.stringMatching(/several directory entries match.*|uid=impostor/)]);
      expect(await ldap.authenticate({ userName: 'impostor', password: 'impostor-pass' })).toEqual(
        accepted('impostor'),
      );
    });

    test.each(['same@people.example', 'same@staff.example'])(
      'that two entries have is refused: %s',
      async (userName) => {
        const result = await provider(byMail).authenticate({ userName, password: 'same-pass' });
        expect(result).toMatchObject({ kind: 'refused' });
        expect(logged).toEqual([expect.stringContaining('several directory entries have the user name')]);
      },
    );

    test.each([
      ['no value', 'nameless'],
      ['two values, none of them in the DN', 'many'],
    ])('with %s is refused', async (_case, name) => {
      const result = await provider(byMail).authenticate({
        userName: `${name}@logbook.example`,
        password: `${name}-pass`,
      });
      expect(result).toMatchObject({ kind: 'refused' });
      expect(logged).toEqual([expect.stringContaining('no single readable user name')]);
    });
  });

  describe('a group', () => {
    const inRoles = { base: `ou=roles,${slapdBase}`, filter: '(member={0})' };
    const groupsOf = async (userName: string, settings: Partial<LdapOptions> = {}) => {
      const ldap = provider({ ...byPattern, groupSearch: inRoles, ...settings });
      const result = await ldap.authenticate({ userName, password: `${userName}-pass` });
      if (result.kind !== 'accepted') throw new Error(JSON.stringify(result));
      return result.identity.groups;
    };

    test('is named by its DN, and by its name when it is directly below the group base', async () => {
      expect(await groupsOf('admin')).toEqual([
        `cn=admins,ou=a,ou=roles,${slapdBase}`,
        `cn=direct,ou=roles,${slapdBase}`,
        'direct',
      ]);
    });

    test('of a name that several groups below the base have is named by its DN only, and the log says why', async () => {
      const groups = await groupsOf('impostor');
      expect(groups).toEqual([`cn=direct,ou=c,ou=roles,${slapdBase}`]);
      expect(logged).toEqual([expect.stringMatching(/"groups":\["direct"\].*ambiguous group names/)]);
    });

    test('has one name: no second value of cn, none that reads as a DN, and none outside the base', async () => {
      expect(await groupsOf('victim')).toEqual([
        'Smith, Jones+',
        `cn=admins,ou=b,ou=roles,${slapdBase}`,
        `cn=cn\\=direct\\,ou\\=roles,ou=roles,${slapdBase}`,
        `cn=smith\\, jones\\+,ou=roles,${slapdBase}`,
        `cn=writers,ou=c,ou=roles,${slapdBase}`,
        'writers',
      ]);
    });

    test.each([
      ['anonymously', {}],
      ['with a manager', { manager: slapdManager }],
    ])(`is one of ${manyGroups}, more than the server returns for one search, %s`, async (_way, settings) => {
      const groupSearch = { base: `ou=crowd,${slapdBase}`, filter: '(member={0})' };
      const groups = await groupsOf('member', { ...settings, groupSearch });
      expect(groups).toHaveLength(2 * manyGroups);
      expect(groups).toContain(`g${manyGroups - 1}`);
      expect(logged).toEqual([]);
    });
  });

  describe('an account that is checked again', () => {
    const recheck = (userName: string, settings: Partial<LdapOptions> = {}) =>
      provider({ ...bySearch, groupSearch, ...settings }).recheck?.(userName);

    test.each(ways)('%s is open, with the same groups as at the sign-in', async (_way, settings) => {
      const groups = accepted('Jane', ['operators', 'shift']).identity.groups;
      expect(await recheck('Jane', { userSearch: undefined, ...settings })).toEqual({ kind: 'open', groups });
      expect(await recheck('admin', { userSearch: undefined, ...settings })).toMatchObject({ kind: 'open' });
    });

    test.each(ways)('%s is closed when it is gone or locked', async (_way, settings) => {
      expect(await recheck('nobody', { userSearch: undefined, ...settings })).toEqual({ kind: 'closed' });
      expect(await recheck('locked', { userSearch: undefined, ...settings })).toEqual({ kind: 'closed' });
    });

    test('is closed when the filter excludes it now', async () => {
      const userSearch = { base: slapdBase, filter: '(&(uid={0})(!(mail=jane@logbook.example)))' };
      expect(await recheck('Jane', { userSearch })).toEqual({ kind: 'closed' });
      expect(await recheck('admin', { userSearch })).toMatchObject({ kind: 'open' });
    });

    test('is unknown when the connection may not see users there', async () => {
      const hidden = { userSearch: undefined, userDnPattern: `uid={0},ou=hidden,${slapdBase}` };
      expect(await recheck('mole', hidden)).toEqual({ kind: 'unknown' });
      expect(await recheck('mole', { ...bySearch, ...hidden })).toEqual({ kind: 'unknown' });
      expect(await recheck('mole', { ...hidden, manager: slapdManager })).toMatchObject({ kind: 'open' });
    });

    test('is unknown when the connection may not see groups', async () => {
      const hiddenGroups = { base: `ou=hidden,${slapdBase}`, filter: '(member={0})' };
      expect(await recheck('Jane', { groupSearch: hiddenGroups })).toEqual({ kind: 'unknown' });
    });

    test('is unknown when its name is ambiguous, or the directory fails', async () => {
      expect(await recheck('twin')).toEqual({ kind: 'unknown' });
      const manager = { ...slapdManager, password: 'old-secret' };
      expect(await recheck('Jane', { manager })).toEqual({ kind: 'unknown' });
      expect(logged.join()).toContain('LDAP account check failed');
    });
  });

  describe('encrypted', () => {
    test.each([
      ['ldaps', () => ({ urls: [slapd.tlsUrl] })],
      ['StartTLS', () => ({ startTls: true })],
    ])('%s works with the right authority only', async (_name, how) => {
      const caCertificates = slapd.certificate.ca;
      expect(await provider({ ...byPattern, ...how(), caCertificates }).authenticate(jane)).toEqual(accepted('Jane'));
      expect(await unavailableMessage(provider({ ...byPattern, ...how() }).authenticate(jane))).toBe(
        directoryUnavailable,
      );
      expect(logged.join()).toMatch(/certificate|self-signed/);
    });

    test('no environment variable turns certificate checks off', async () => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        const urls = [slapd.tlsUrl];
        expect(await unavailableMessage(provider({ ...byPattern, urls }).authenticate(jane))).toBe(
          directoryUnavailable,
        );
        expect(await unavailableMessage(provider({ ...byPattern, startTls: true }).authenticate(jane))).toBe(
          directoryUnavailable,
        );
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
    });

    test.each([
      ['ldaps', () => ({ urls: [slapd.otherNameUrl] })],
      ['StartTLS', () => ({ urls: [slapd.otherPlainUrl], startTls: true })],
    ])('%s to a server whose name does not match its certificate is refused', async (_name, how) => {
      const caCertificates = slapd.certificate.ca;
      expect(await unavailableMessage(provider({ ...byPattern, ...how(), caCertificates }).authenticate(jane))).toBe(
        directoryUnavailable,
      );
      expect(logged.join()).toContain("does not match certificate's altnames");
    });
  });

  test('pooled connections that outlive a restart of the directory are replaced without an error', async () => {
    const ldap = provider({ ...bySearch, manager: slapdManager, groupSearch });
    const signIns = () => Promise.all(Array.from({ length: 20 }, () => ldap.authenticate(jane)));
    for (let round = 0; round < 3; round++) {
      expect(new Set((await signIns()).map(({ kind }) => kind))).toEqual(new Set(['accepted']));
      await slapd.restart();
    }
    expect(await ldap.authenticate(jane)).toEqual(accepted('Jane', ['operators', 'shift']));
    expect(logged).toEqual([]);
  });

  test('a hundred concurrent sign-ins are not mixed up', async () => {
    const ldap = provider({ ...bySearch, manager: slapdManager });
    const people = [
      jane,
      { userName: 'admin', password: 'admin-pass' },
      { userName: 'admin', password: jane.password },
    ];
    const results = await Promise.all(Array.from({ length: 102 }, (_, i) => ldap.authenticate(people[i % 3] ?? jane)));
    results.forEach((result, i) => {
      expect(result).toEqual([accepted('Jane'), accepted('admin'), { kind: 'unknown' }][i % 3]);
    });
  });

  test('a refused manager account makes the directory unavailable, and only the log says why', async () => {
    const manager = { ...slapdManager, password: 'old-secret' };
    expect(await unavailableMessage(provider({ ...bySearch, manager }).authenticate(jane))).toBe(directoryUnavailable);
    expect(logged.join()).toContain('manager account');
    expect(logged.join()).not.toContain('old-secret');
  });

  test('a missing search base makes the directory unavailable, and is logged', async () => {
    const userSearch = { base: 'ou=gone,dc=logbook,dc=example', filter: '(uid={0})' };
    expect(await unavailableMessage(provider({ userSearch }).authenticate(jane))).toBe(directoryUnavailable);
    expect(logged).toEqual([expect.stringContaining('"resultCode":32,"result":"noSuchObject"')]);
  });

  test('an invalid filter is refused immediately', () => {
    expect(() => provider({ userSearch: { base: slapdBase, filter: '(uid!{0})' } })).toThrow(/search filter/);
  });

  test('two directories are separate: a user of one is unknown in the other, and closing one does not affect the other', async () => {
    const people = provider(byPattern);
    const staff = provider({ userDnPattern: `uid={0},ou=staff,${slapdBase}` });
    const twin = { userName: 'twin', password: 'twin-pass' };
    expect(await Promise.all([people, staff].map((directory) => directory.authenticate(twin)))).toEqual([
      accepted('twin'),
      accepted('twin'),
    ]);
    expect(await staff.authenticate(jane)).toEqual({ kind: 'unknown' });
    await staff.close();
    expect(await people.authenticate(jane)).toEqual(accepted('Jane'));
  });

  test('a closed provider is unavailable', async () => {
    const ldap = provider(bySearch);
    await ldap.authenticate(jane);
    await ldap.close();
    expect(await unavailableMessage(ldap.authenticate(jane))).toBe(directoryUnavailable);
  });
});
