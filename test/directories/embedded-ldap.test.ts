import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readEmbeddedLdapSettings } from '../../src/config/directory/read-directory-file.js';
import { ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import { sampleBase, startDirectory } from '../fixtures/embedded-directory.js';
import { silentLog } from '../fixtures/log.js';

const execute = promisify(execFile);
const hasTools = ['ldapsearch', 'ldapwhoami', 'ldapcompare'].every((tool) => !spawnSync(tool, ['-VV']).error);

/** Runs an OpenLDAP tool without the LDAP configuration of this machine. */
async function run(tool: string, url: string, args: readonly string[]): Promise<{ code: number; out: string }> {
  try {
    const { stdout } = await execute(tool, ['-x', '-H', url, ...args], {
      env: { PATH: process.env.PATH, LDAPNOINIT: '1' },
    });
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
    if (typeof code !== 'number') throw error;
    return { code, out: stdout };
  }
}

const uid = (name: string) => `uid=${name},ou=people,${sampleBase}`;

describe.skipIf(!hasTools && !process.env.CI)('the tools of OpenLDAP (needs ldap-utils)', () => {
  test.each(['admin', 'operator', 'physicist', 'visitor'])('ldapwhoami binds as %s', async (name) => {
    const { url } = await startDirectory();
    expect(await run('ldapwhoami', url, ['-D', uid(name), '-w', `${name}Pass`])).toEqual({
      code: 0,
      out: `dn:${uid(name)}\n`,
    });
    expect(await run('ldapwhoami', url, ['-D', uid(name), '-w', 'wrong'])).toMatchObject({ code: 49 });
    expect(await run('ldapwhoami', url, ['-D', uid(name), '-w', ''])).toMatchObject({ code: 53 });
    expect(await run('ldapwhoami', url, [])).toEqual({ code: 0, out: 'anonymous\n' });
  });

  test('ldapsearch finds entries, also in pages, and never a password', async () => {
    const { url } = await startDirectory();
    const search = (...args: string[]) => run('ldapsearch', url, ['-LLL', '-o', 'ldif-wrap=no', ...args]);
    expect((await search('-b', sampleBase, `(member=${uid('OPERATOR')})`, 'CN')).out).toBe(
      `dn: cn=logbook-writers,ou=groups,${sampleBase}\ncn: logbook-writers\n\n`,
    );
    const everything = await search('-b', sampleBase, '-E', 'pr=3/noprompt', '(objectClass=*)', '*', '+');
    expect(everything.out.match(/^dn:/gm)).toHaveLength(10);
    expect(everything.out).not.toMatch(/password/i);
    expect((await search('-b', sampleBase, '-z', '2', '(objectClass=*)')).code).toBe(4);
    expect((await search('-b', `ou=none,${sampleBase}`, '(objectClass=*)')).code).toBe(32);
    expect((await search('-b', sampleBase, '-e', '!1.2.3.4', '(objectClass=*)')).code).toBe(12);
    expect((await search('-b', '', '-s', 'base', 'namingContexts')).out).toContain(`namingContexts: ${sampleBase}\n`);
    expect((await search('-b', uid('admin'), '-s', 'base', '-A', 'cn')).out).toBe(`dn: ${uid('admin')}\ncn:\n\n`);
  });

  test('ldapcompare reports true, false, or a refused attribute', async () => {
    const { url } = await startDirectory();
    expect((await run('ldapcompare', url, [uid('admin'), 'cn:ada ADMIN'])).code).toBe(6);
    expect((await run('ldapcompare', url, [uid('admin'), 'cn:somebody'])).code).toBe(5);
    expect((await run('ldapcompare', url, [uid('visitor'), 'userPassword:visitorPass'])).code).toBe(16);
  });
});

test('accounts of the embedded directory can be checked again, also after one was removed', async () => {
  const { url } = await startDirectory();
  const source = readEmbeddedLdapSettings(undefined);
  if ('problems' in source) throw new Error(source.problems.join('\n'));
  const provider = ldapProvider('embeddedLdap', { ...source.settings.ldap, urls: [url] }, silentLog);
  try {
    const groups = [`cn=logbook-tags,ou=groups,${sampleBase}`, `cn=logbook-writers,ou=groups,${sampleBase}`];
    expect(await provider.recheck?.('operator')).toEqual({
      kind: 'open',
      groups: [...groups, 'logbook-tags', 'logbook-writers'],
    });
    expect(await provider.recheck?.('visitor')).toEqual({ kind: 'open', groups: [] });
    expect(await provider.recheck?.('nobody')).toEqual({ kind: 'closed' });
  } finally {
    await provider.close();
  }
});
