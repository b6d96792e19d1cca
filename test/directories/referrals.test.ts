import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { activeDirectoryProvider } from '../../src/integrations/ldap/active-directory-provider.js';
import { toRefusal } from '../../src/integrations/ldap/bind-refusal.js';
import { checkActiveDirectory, checkLdap } from '../../src/integrations/ldap/check-directory.js';
import type { ActiveDirectoryOptions, LdapOptions } from '../../src/integrations/ldap/ldap-options.js';
import { ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import { ReferralLog } from '../../src/integrations/ldap/referrals.js';
import { recordingLog } from '../fixtures/log.js';
import { directoryUnavailable } from './expectations.js';
import { hasSamba, Samba, sambaBase, sambaDomain, sambaPassword } from './samba.js';
import { hasSlapd, Slapd, slapdBase, slapdManager } from './slapd.js';

const logged: string[] = [];
const { log } = recordingLog(logged);
beforeEach(() => {
  logged.length = 0;
});

/** The logged referrals, each with its level. */
const referrals = () =>
  logged
    .map((line) => JSON.parse(line) as { level: number; msg: string; base: string; referral?: string; advice?: string })
    .filter(({ msg }) => /refer/.test(msg));

const timeouts = { connectTimeoutMs: 60_000, operationTimeoutMs: 60_000 };

describe.skipIf(!hasSlapd)('a directory with parts on other servers (needs slapd)', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await Slapd.start({ referrals: true });
  });
  afterAll(() => slapd?.stop());

  const options = (more: Partial<LdapOptions> = {}): LdapOptions => ({
    ...timeouts,
    urls: [slapd.url],
    startTls: false,
    caCertificates: undefined,
    nameAttribute: 'uid',
    userDnPattern: undefined,
    userSearch: { base: slapdBase, filter: '(uid={0})' },
    groupSearch: { base: slapdBase, filter: '(member={0})' },
    manager: slapdManager,
    ...more,
  });

  test('finds its own users, and logs each missing part once, with its meaning', async () => {
    const provider = ldapProvider('ldap', options(), log);
    try {
      for (let time = 0; time < 3; time++) {
        const result = await provider.authenticate({ userName: 'jane', password: 'jane:pass:word' });
        expect(result).toMatchObject({ kind: 'accepted', identity: { userName: 'Jane' } });
        expect(await provider.authenticate({ userName: 'nobody', password: 'x' })).toEqual({ kind: 'unknown' });
      }
    } finally {
      await provider.close();
    }
    expect(referrals()).toHaveLength(2);
    for (const [at, host] of ['127.0.0.1:1', 'no-such-server.example'].entries()) {
      expect(referrals()).toContainEqual(
        expect.objectContaining({
          level: 40,
          base: slapdBase,
          referral: `“ldap://${host}/ou=remote${at},${slapdBase}”`,
          msg: 'LDAP referral is not followed: users and groups there are not found',
          advice: expect.stringMatching(/cannot sign in.*configure the server.*port 3268/),
        }),
      );
    }
  });

  test.each(['dc=other,dc=example', `ou=remote1,${slapdBase}`])(
    '503 for a user base on another server: %s',
    async (base) => {
      const provider = ldapProvider('ldap', options({ userSearch: { base, filter: '(uid={0})' } }), log);
      try {
        await expect(provider.authenticate({ userName: 'jane', password: 'x' })).rejects.toThrow(directoryUnavailable);
        // An account that cannot be looked up is not closed.
        expect(await provider.recheck?.('jane')).toEqual({ kind: 'unknown' });
      } finally {
        await provider.close();
      }
      expect(referrals().map(({ base: at, msg }) => [at, msg])).toEqual([
        [base, 'LDAP server does not have the DN, and refers to another server'],
      ]);
      expect(logged.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ resultCode: 10, result: 'referral' }),
      );
    },
  );

  test('is described by the check', async () => {
    const { findings } = await checkLdap(options(), undefined, log);
    expect(findings.filter(({ text }) => text.includes('refers to'))).toEqual(
      [0, 1].map((at) => ({
        isProblem: false,
        text: expect.stringMatching(
          new RegExp(`refers to ldap://.*/ou=remote${at},${slapdBase}, which is not followed\\. Users`),
        ),
      })),
    );
    const search = { base: 'dc=other,dc=example', filter: '(uid={0})' };
    const elsewhere = await checkLdap(options({ userSearch: search, groupSearch: undefined }), undefined, log);
    expect(elsewhere.findings).toContainEqual({
      isProblem: true,
      text: expect.stringMatching(/the user base dc=other,dc=example is not on this server, which refers to another/),
    });
  });
});

describe.skipIf(!hasSamba)('an Active Directory domain (needs samba)', () => {
  let samba: Samba;
  beforeAll(async () => {
    samba = await Samba.start();
  });
  afterAll(() => samba?.stop());

  const options = (more: Partial<ActiveDirectoryOptions> = {}): ActiveDirectoryOptions => ({
    ...timeouts,
    urls: [samba.tlsUrl],
    startTls: false,
    caCertificates: samba.certificate.ca,
    domain: sambaDomain,
    baseDn: sambaBase,
    nameAttribute: 'sAMAccountName',
    groupBaseDn: sambaBase,
    manager: { dn: `jane.doe@${sambaDomain}`, password: sambaPassword },
    ...more,
  });

  test('names its partitions without accounts, which are logged once and are no warning', async () => {
    const provider = activeDirectoryProvider(options(), log);
    try {
      for (let time = 0; time < 2; time++) {
        expect(await provider.authenticate({ userName: 'jane', password: sambaPassword })).toMatchObject({
          kind: 'accepted',
        });
      }
    } finally {
      await provider.close();
    }
    const found = referrals();
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map(({ referral }) => referral)).size).toBe(found.length);
    expect(found.map(({ level }) => level)).toEqual(found.map(() => 30));
    const { findings } = await checkActiveDirectory(options(), undefined);
    expect(findings.filter(({ text }) => text.includes('refer'))).toEqual([]);
  });
});

test('an account on another server is refused with that reason', () => {
  expect(toRefusal({ accepted: false, code: 10, diagnostic: '' })).toEqual({
    kind: 'refused',
    reason: expect.stringContaining('is on a directory server that this service does not use'),
  });
});

test('a server that names any number of referrals fills neither the log nor the memory', () => {
  const { note } = new ReferralLog(log);
  for (let at = 0; at < 1_000; at++) note({ base: 'dc=x', url: `ldap://h${at}/dc=x??sub` });
  note({ base: 'dc=x', url: `ldap://h0/dc=x??base` });
  expect(logged).toHaveLength(101);
  expect(logged.at(-1)).toContain('further LDAP referrals are not logged');
});
