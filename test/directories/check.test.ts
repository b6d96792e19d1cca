import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { freePort } from '../fixtures/free-port.js';
import { listening } from '../fixtures/local-server.js';
import { MailServer } from '../fixtures/mail-server.js';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { hasSlapd, Slapd, slapdBase, slapdManager } from './slapd.js';

let dir: string;
beforeAll(async () => {
  dir = await makeTempDir();
});
afterAll(() => rm(dir, { recursive: true }));

/** Runs `logbook check` with a configuration file of these lines. */
async function check(lines: readonly string[], ...args: readonly string[]): Promise<{ code: number; out: string }> {
  const file = join(dir, 'logbook.properties');
  await writeFile(file, lines.join('\n'));
  const words = [join(productDir, 'dist', 'src', 'main.js'), 'check', '--config', file, ...args];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: { PATH: process.env.PATH } });
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code: number; stdout?: string; stderr?: string };
    return { code, out: stdout + stderr };
  }
}

test('a configuration without other servers has nothing to check', async () => {
  expect(await check([])).toEqual({ code: 0, out: 'The configuration has no connections to other servers.\n' });
});

test('the embedded directory is checked on a port of its own, and a user with the roles', async () => {
  const { code, out } = await check(
    ['authenticationProviders = embedded-ldap', 'adminGroups = "CN=Logbook-Admins, ou=groups,dc=logbook,dc=example"'],
    '--user',
    'ADMIN',
  );
  expect(out).toContain('user admin is uid=admin,ou=people,dc=logbook,dc=example');
  expect(out).toContain('“logbook-admins”; roles: ADMIN.');
  expect(code).toBe(0);
});

test('servers that cannot be reached are all reported, with their reasons', async () => {
  const [ldapPort, oidcPort, mailPort] = [await freePort(), await freePort(), await freePort()];
  await writeFile(
    join(dir, 'ldap.properties'),
    `ldap.urls = ldap://127.0.0.1:${ldapPort}\nldap.user.dn.pattern = uid={0},dc=example\n`,
  );
  const { code, out } = await check([
    'authenticationProviders = ldap',
    'ldapPropertySource = ldap.properties',
    `oidcIssuer = http://127.0.0.1:${oidcPort}`,
    'oidcClientId = logbook',
    'subscriber.shift.kind = email',
    'subscriber.shift.to = shift@example.org',
    `subscriber.shift.smtpUrl = smtp://127.0.0.1:${mailPort}`,
    'subscriber.shift.smtpFrom = Logbook <logbook@example.org>',
  ]);
  expect(code).toBe(1);
  expect(out).toMatch(/^PROBLEM {2}ldap: ldap:.*ECONNREFUSED/m);
  expect(out).toMatch(/^PROBLEM {2}oidc: .*ECONNREFUSED/m);
  expect(out).toMatch(/^PROBLEM {2}subscriber shift: .*ECONNREFUSED/m);
});

test('a mail server is greeted, and gets no mail', async () => {
  const server = await MailServer.start();
  try {
    const { out } = await check([
      'subscriber.shift.kind = email',
      'subscriber.shift.to = shift@example.org',
      `subscriber.shift.smtpUrl = ${server.url}`,
      'subscriber.shift.smtpFrom = logbook@example.org',
    ]);
    expect(out).toMatch(/^ok {7}subscriber shift: .* responds$/m);
    expect(server.mails).toEqual([]);
  } finally {
    await server.stop();
  }
});

test('at the start, a directory that never responds delays nothing, and is a warning in the log', async () => {
  const server = await listening(createServer((socket) => socket.on('error', () => undefined)));
  const { port } = server.address() as AddressInfo;
  const lines = [`ldap.urls = ldap://127.0.0.1:${port}`, 'ldap.user.dn.pattern = uid={0},dc=example'];
  await writeFile(join(dir, 'ldap.properties'), [...lines, 'ldap.operation.timeout = 1s'].join('\n'));
  const args = ['-DauthenticationProviders=ldap', `-DldapPropertySource=${join(dir, 'ldap.properties')}`];
  const logbook = await LogbookProcess.start(join(dir, 'data'), { args });
  try {
    while (!/connection check failed/.test(logbook.errors)) await once(logbook.child.stderr as Readable, 'data');
    await expect
      .poll(() => logbook.errors)
      .toMatch(/"part":"ldap","problem":"ldap:\/\/127.0.0.1:\d+: .*","msg":"connection check failed"/);
    // It was ready before.
    expect(logbook.errors).toMatch(/"msg":"listening"[\s\S]*"msg":"connection check failed"/);
  } finally {
    await logbook.stop();
    server.close();
  }
});

describe.skipIf(!hasSlapd)('an OpenLDAP directory (needs slapd)', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await Slapd.start();
  });
  afterAll(() => slapd?.stop());

  async function checkLdap(lines: readonly string[], ...args: readonly string[]) {
    const server = [`ldap.urls = ${slapd.tlsUrl}/${slapdBase}`, `ldap.ca.file = ${slapd.certificate.caFile}`];
    const common = [...server, 'ldap.connect.timeout = 10m', 'ldap.operation.timeout = 10m'];
    await writeFile(join(dir, 'ldap.properties'), [...common, ...lines].join('\n'));
    const settings = [
      'authenticationProviders = ldap',
      'ldapPropertySource = ldap.properties',
      'logGroups = operators',
    ];
    return check(settings, ...args);
  }

  const manager = ['ldap.manager.dn = cn=manager', `ldap.manager.password = ${slapdManager.password}`];
  const search = ['ldap.user.search.filter = (|(uid={0})(mail={0}))', 'ldap.groups.search.base = ou=groups'];

  test('is bound to, its bases are found, and a user by mail with groups and roles', async () => {
    const { code, out } = await checkLdap([...manager, ...search], '--user', 'jane@logbook.example');
    expect(out.split('\n')).toEqual([
      `ok       ldap: ${slapd.tlsUrl} accepts a bind as ${slapdManager.dn}`,
      `ok       ldap: ${slapd.tlsUrl}: the user base ${slapdBase} exists`,
      `ok       ldap: ${slapd.tlsUrl}: the group base ou=groups,${slapdBase} exists`,
      expect.stringMatching(/^ok {7}ldap: user Jane is uid=Jane,.* “operators”, “shift”; roles: LOG, USER\.$/),
      '',
    ]);
    expect(code).toBe(0);
  });

  test.each<[string, string[], string, RegExp]>([
    ['an unknown user', search, 'nobody', /^PROBLEM {2}ldap: user nobody: no entry found/m],
    ['an ambiguous user', search, 'twin', /^PROBLEM {2}ldap: user twin: several entries match: .*people.*staff/m],
    [
      'a locked user',
      search,
      'locked',
      /^PROBLEM {2}ldap: user locked is .* The account is disabled, expired or locked/m,
    ],
    [
      'a missing group base',
      [...search.slice(0, 1), 'ldap.groups.search.base = ou=gone'],
      'jane',
      /^PROBLEM {2}ldap: .*the group base ou=gone,.* does not exist/m,
    ],
    [
      'a refused manager',
      [...search, 'ldap.manager.dn = cn=manager', 'ldap.manager.password = secret'],
      'jane',
      /^PROBLEM {2}ldap: .*the account cn=manager,.* is refused with result code 49/m,
    ],
  ])('%s is a problem', async (_case, lines, userName, problem) => {
    const { code, out } = await checkLdap(lines, '--user', userName);
    expect(out).toMatch(problem);
    expect(out).not.toContain('secret');
    expect(code).toBe(1);
  });
});
