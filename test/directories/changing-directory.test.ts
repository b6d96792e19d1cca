import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LdapServer, startLdapServer } from '../../packages/ldap-server/ldap-server.js';
import type { SettingName } from '../../src/config/settings.js';
import { sampleFile } from '../fixtures/embedded-directory.js';
import { freePort } from '../fixtures/free-port.js';
import { type Answer, type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';

const entry = { title: 'x', logbooks: [{ name: 'operations' }] };
const people = 'ou=people,dc=logbook,dc=example';

/** A directory in which accounts change while the logbook runs. */
describe('when the directory changes', () => {
  let dir: string;
  let sample: string;
  let server: LdapServer | undefined;
  let logbook: TestService;
  beforeAll(async () => {
    dir = await makeTempDir();
    sample = await readFile(sampleFile, 'utf8');
  });
  afterAll(() => rm(dir, { recursive: true }));
  afterEach(async () => {
    await logbook.stop();
    await server?.stop();
    server = undefined;
  });

  /** Serves this LDIF at the same port as before. */
  async function serve(ldif: string): Promise<void> {
    const port = server ? Number(new URL(server.url).port) : await freePort();
    await server?.stop();
    const ldifFile = join(dir, 'people.ldif');
    await writeFile(ldifFile, ldif);
    server = await startLdapServer({ ldifFile, port });
  }

  async function start(settings: Partial<Record<SettingName, string>> = {}): Promise<void> {
    await serve(sample);
    const file = join(dir, 'ldap.properties');
    const lines = [
      `ldap.urls = ${server?.url}`,
      `ldap.user.dn.pattern = uid={0},${people}`,
      `ldap.user.search.base = ${people}`,
      'ldap.user.search.filter = (uid={0})',
      'ldap.groups.search.base = ou=groups,dc=logbook,dc=example',
      'ldap.groups.search.pattern = (member={0})',
      // Many sign-ins at a time wait for this process, which serves the directory too.
      'ldap.operation.timeout = 10m',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    logbook = await TestService.start({
      authenticationProviders: 'ldap',
      ldapPropertySource: file,
      permissions: 'roles',
      logGroups: 'logbook-writers',
      ...settings,
    });
  }

  const withPassword = (password: string) =>
    sample.replace(/(uid: visitor\n[\s\S]*?userPassword: ).*/, `$1${password}`);
  const withoutVisitor = () =>
    sample.replace(/dn: uid=visitor,[\s\S]*?\n\n/, '').replace(/^member: uid=visitor.*\n/gm, '');
  const withoutWriter = () => sample.replace(/^member: uid=operator.*$/gm, `member: uid=visitor,${people}`);
  const login = (username: string, password = `${username}Pass`) =>
    logbook.post('/login', { username, password }, { as: null });
  const sessionOf = (answer: Answer): CallOptions => ({
    as: null,
    headers: { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' },
  });
  const tokenOf = async (session: CallOptions): Promise<CallOptions> => {
    const { body } = await logbook.post('/tokens', { name: 'x', rights: ['entries'] }, session);
    return { as: null, headers: { authorization: `Bearer ${body.token}` } };
  };
  const user = async (options: CallOptions) => (await logbook.get('/user', options)).status;

  test('an old password that is still remembered serves single requests; it opens no session and makes no token', async () => {
    await start();
    const old = { as: 'visitor:visitorPass' };
    expect(await user(old)).toBe(200);
    await serve(withPassword('changed'));
    expect(await user(old)).toBe(200);
    expect(await logbook.post('/tokens', { name: 'x', rights: [] }, old)).toMatchObject({
      status: 401,
      body: { code: 'auth.bad-credentials' },
    });
    // The answer has replaced what was remembered.
    expect(await user(old)).toBe(401);
    const refused = await login('visitor');
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([401, []]);
    expect((await login('visitor', 'changed')).status).toBe(200);
  });

  test('a new password that opens a session ends what is remembered of the old one', async () => {
    await start();
    expect(await user({ as: 'visitor:visitorPass' })).toBe(200);
    await serve(withPassword('changed'));
    expect((await login('visitor', 'changed')).status).toBe(200);
    expect(await user({ as: 'visitor:visitorPass' })).toBe(401);
  });

  test('a session opened after a group was lost does not have it, although the password is remembered', async () => {
    await start();
    expect((await logbook.put('/logs', entry, { as: 'operator:operatorPass' })).status).toBe(200);
    await serve(withoutWriter());
    const session = sessionOf(await login('operator'));
    expect((await logbook.put('/logs', entry, session)).body.code).toBe('auth.role-missing');
    expect((await logbook.put('/logs', entry, { as: 'operator:operatorPass' })).body.code).toBe('auth.role-missing');
  });

  test('sessions and tokens of a closed account end within accountRecheckInterval; those of others do not', async () => {
    await start({ accountRecheckInterval: '1s' });
    const [visitor, operator] = [sessionOf(await login('visitor')), sessionOf(await login('operator'))];
    const token = await tokenOf(visitor);
    await serve(withoutVisitor());
    await expect.poll(() => user(visitor), { interval: 200 }).toBe(404);
    expect((await logbook.put('/logs', entry, token)).body.code).toBe('auth.account-closed');
    expect(await user(operator)).toBe(200);
    await serve(sample);
    // The token works again; the session was ended.
    await expect.poll(() => user(token), { interval: 200 }).toBe(200);
    expect(await user(visitor)).toBe(404);
  });

  test('a lost group is lost for sessions and tokens within accountRecheckInterval', async () => {
    await start({ accountRecheckInterval: '1s' });
    const session = sessionOf(await login('operator'));
    const token = await tokenOf(session);
    const put = async (options: CallOptions) => (await logbook.put('/logs', entry, options)).status;
    expect([await put(session), await put(token)]).toEqual([200, 200]);
    await serve(withoutWriter());
    for (const by of [session, token]) {
      await expect.poll(() => put(by), { interval: 200 }).toBe(403);
    }
  });

  test('a directory that is down closes no account', async () => {
    await start({ accountRecheckInterval: '1s' });
    const session = sessionOf(await login('operator'));
    const port = Number(new URL(server?.url ?? '').port);
    await server?.stop();
    const until = performance.now() + 3_000;
    while (performance.now() < until) expect(await user(session)).toBe(200);
    server = await startLdapServer({ ldifFile: join(dir, 'people.ldif'), port });
  });

  test('many right passwords from one address at a time are all accepted', async () => {
    await start({ credentialCacheTtl: '0s' });
    const names = ['admin', 'operator', 'visitor'];
    // More than are checked at a time, but few enough that a busy machine checks the last one before its wait ends.
    const sent = Array.from({ length: 20 }, (_, at) => login(names[at % 3] ?? ''));
    const statuses = new Set((await Promise.all(sent)).map(({ status }) => status));
    expect([...statuses]).toEqual([200]);
  });

  test('a stranger locks no user out: only two wrong passwords are passed on, and a known address can still sign in', async () => {
    await start({ trustedProxies: '127.0.0.1', credentialCacheTtl: '0s' });
    const from = (address: string, password: string) =>
      logbook.call('/user', { as: `operator:${password}`, headers: { 'x-forwarded-for': address } });
    expect((await from('192.0.2.1', 'operatorPass')).status).toBe(200);
    const statuses = [];
    for (let at = 0; at < 6; at++) statuses.push((await from(`198.51.100.${at}`, `wrong${at}`)).status);
    expect(statuses).toEqual([401, 401, 429, 429, 429, 429]);
    expect((await from('192.0.2.1', 'operatorPass')).status).toBe(200);
    expect(await from('192.0.2.9', 'operatorPass')).toMatchObject({
      status: 429,
      body: { code: 'auth.throttled', message: expect.stringContaining('newAddressFailures') },
    });
  });
});
