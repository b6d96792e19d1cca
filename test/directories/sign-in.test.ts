import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { listening } from '../fixtures/local-server.js';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';

const entry = { title: 'x', logbooks: [{ name: 'operations' }] };
let dir: string;
beforeAll(async () => {
  dir = await makeTempDir();
});
afterAll(async () => {
  await rm(dir, { recursive: true });
});

async function fileOf(name: string, lines: string): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, lines);
  return file;
}

describe('with the built-in directory', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({
      authenticationProviders: 'embeddedLdap',
      embeddedLdapPropertySource: await fileOf('embedded.properties', 'embedded_ldap.port = 0\n'),
      permissions: 'roles',
      adminGroups: 'Logbook-Admins',
      logGroups: 'logbook-writers',
      tagGroups: 'logbook-tags',
    });
  });
  afterAll(async () => {
    await logbook.stop();
  });
  const as = (userName: string, password = `${userName.toLowerCase()}Pass`): CallOptions => ({
    as: `${userName}:${password}`,
  });

  test('groups become roles, by member and by memberUid, and the name is spelled as in the directory', async () => {
    for (const name of ['admin', 'operator', 'physicist', 'visitor']) {
      const { status, body } = await logbook.get('/user', as(name));
      expect({ name, status, userName: body.userName }).toEqual({ name, status: 200, userName: name });
    }
    expect((await logbook.get('/user', as('admin'))).body.roles).toContain('ADMIN');
    expect((await logbook.get('/user', as('visitor'))).body.roles).toEqual(['USER']);
    expect((await logbook.put('/logs', entry, as('OPERATOR'))).body).toMatchObject({ owner: 'operator' });
    expect((await logbook.get('/user', as(' operator', 'operatorPass'))).body.userName).toBe('operator');
    expect((await logbook.put('/logs', entry, as('visitor'))).body.code).toBe('auth.role-missing');
  });

  test.each([
    ['a filter', '*)(uid=*', 'adminPass'],
    ['a star', '*', 'adminPass'],
    ['a DN', 'uid=admin,ou=people,dc=logbook,dc=example', 'adminPass'],
    ['a longer DN', 'admin,ou=people', 'adminPass'],
    ['an escaped NUL', 'admin\\00', 'adminPass'],
    ['a NUL', 'admin\u0000', 'adminPass'],
    ['DN metacharacters', 'admin+uid=operator', 'adminPass'],
    ['a line break', 'admin\nuid: x', 'adminPass'],
    ['an empty name', '', 'adminPass'],
    ['an empty password', 'admin', ''],
    ['a NUL as password', 'admin', '\u0000'],
    ['a password followed by NUL', 'admin', 'adminPass\u0000'],
    ['a password of 1 MB', 'admin', 'x'.repeat(900_000)],
    ['a name of 1 MB', 'x'.repeat(900_000), 'adminPass'],
    ['a password with colons', 'admin', 'admin:Pass:'],
    ['a non-ASCII name', 'ädmin', 'adminPass'],
    ['a non-ASCII password', 'admin', 'pässwörd'],
  ])('401 for %s, and never another user', async (_case, username, password) => {
    const response = await logbook.post('/login', { username, password }, { as: null });
    expect([response.status, response.headers.getSetCookie()]).toEqual([expect.toBeOneOf([400, 401, 429]), []]);
    // A header cannot carry the long ones.
    if (username.length + password.length < 5_000) {
      expect((await logbook.put('/logs', entry, { as: `${username}:${password}` })).status).toBeOneOf([401, 429]);
    }
  });
});

describe('the cached data of a directory', () => {
  test('does not reveal to another address whether a guess is right', async () => {
    const logbook = await TestService.start({
      authenticationProviders: 'embeddedLdap',
      embeddedLdapPropertySource: await fileOf('remembered.properties', 'embedded_ldap.port = 0\n'),
      trustedProxies: '127.0.0.1',
    });
    try {
      const put = (from: string, password: string) =>
        logbook.put('/logs', entry, { as: `operator:${password}`, headers: { 'x-forwarded-for': from } });
      expect((await put('192.0.2.1', 'operatorPass')).status).toBe(200);
      for (let at = 0; at < 2; at++) expect((await put('192.0.2.66', `wrong${at}`)).status).toBe(401);
      expect((await put('192.0.2.66', 'wrong')).status).toBe(429);
      expect((await put('192.0.2.66', 'operatorPass')).status).toBe(429);
      expect((await put('192.0.2.1', 'operatorPass')).status).toBe(200);
    } finally {
      await logbook.stop();
    }
  });

  test('gives roles by the groups of the last sign-in and the current configuration, and none once the provider is removed', async () => {
    const sample = await readFile(join(productDir, 'assets', 'directory', 'sample.ldif'), 'utf8');
    const withoutWriters = sample.replace(
      /^member: uid=operator.*$/gm,
      'member: uid=visitor,ou=people,dc=logbook,dc=example',
    );
    expect(withoutWriters).not.toBe(sample);
    const ldif = await fileOf('people.ldif', sample);
    const settings = {
      authenticationProviders: 'embeddedLdap',
      embeddedLdapPropertySource: await fileOf(
        'people.properties',
        `embedded_ldap.port = 0\nembedded_ldap_ldif = ${ldif}\n`,
      ),
      permissions: 'roles',
      logGroups: 'logbook-writers',
      credentialCacheTtl: '0s',
    } as const;
    const signIn = (logbook: TestService) =>
      logbook.post('/login', { username: 'operator', password: 'operatorPass' }, { as: null });
    const first = await TestService.start(settings);
    const login = await signIn(first);
    const session: CallOptions = {
      as: null,
      headers: { cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '' },
    };
    const { token } = (await first.post('/tokens', { name: 'x', rights: ['entries'] }, session)).body;
    const byToken: CallOptions = { as: null, headers: { authorization: `Bearer ${token}` } };
    for (const by of [session, byToken]) expect((await first.put('/logs', entry, by)).status).toBe(200);
    await first.stop({ keepData: true });

    await writeFile(ldif, withoutWriters);
    const second = await TestService.start(settings, first.dataDir);
    for (const by of [session, byToken]) expect((await second.put('/logs', entry, by)).status).toBe(200);
    expect((await signIn(second)).status).toBe(200);
    for (const by of [session, byToken]) {
      expect((await second.put('/logs', entry, by)).body.code).toBe('auth.role-missing');
    }
    await second.stop({ keepData: true });

    const third = await TestService.start({ ...settings, logGroups: '', adminGroups: 'logbook-tags' }, first.dataDir);
    expect((await third.get('/user', session)).body.roles).toContain('ADMIN');
    await third.stop({ keepData: true });

    const last = await TestService.start({}, first.dataDir);
    try {
      expect((await last.get('/user', session)).status).toBe(404);
      expect((await last.put('/logs', entry, byToken)).body.code).toBe('auth.bad-token');
    } finally {
      await last.stop();
    }
  });
});

describe('a directory that accepts a request and never responds', () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  const endConnections = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  beforeAll(async () => {
    await listening(server);
  });
  afterAll(() => {
    endConnections();
    server.close();
  });

  async function startWithHanging(timeout: string, dataDir?: string): Promise<TestService> {
    const { port } = server.address() as AddressInfo;
    const ldapPropertySource = await fileOf(
      `hanging-${timeout}.properties`,
      `ldap.urls = ldap://127.0.0.1:${port}\nldap.user.dn.pattern = uid={0},dc=example\nldap.connect.timeout = ${timeout}\nldap.operation.timeout = ${timeout}\n`,
    );
    return TestService.start({ authenticationProviders: 'ldap,inMemory', ldapPropertySource }, dataDir);
  }

  test('delays neither reads nor sessions, and the next provider is tried', async () => {
    const before = await TestService.start();
    const login = await before.post('/login', { username: 'user', password: 'userPass' }, { as: null });
    const session = { as: null, headers: { cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '' } };
    await before.stop({ keepData: true });
    const logbook = await startWithHanging('10m', before.dataDir);
    const connected = once(server, 'connection');
    let isWaiting = true;
    const waited = logbook.put('/logs', entry, { as: 'admin:adminPass' }).finally(() => {
      isWaiting = false;
    });
    await connected;
    for (let at = 0; at < 5; at++) {
      expect((await logbook.get('/logs', { as: null })).status).toBe(200);
      expect((await logbook.put('/logs', entry, session)).status).toBe(200);
    }
    expect(isWaiting).toBe(true);
    const again = () => endConnections();
    server.on('connection', again);
    endConnections();
    expect((await waited).status).toBe(200);
    server.off('connection', again);
    await logbook.stop();
  });

  describe('for longer than the time limit', () => {
    let logbook: TestService;
    beforeAll(async () => {
      logbook = await startWithHanging('1s');
    });
    afterAll(() => logbook.stop());

    test('many sign-ins of users of another provider at a time are accepted', async () => {
      const sent = Array.from({ length: 20 }, () =>
        logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null }),
      );
      expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]));
    });

    test('503 auth.directory-unavailable for a user unknown to the other providers, and it does not count as a guess', async () => {
      for (let at = 0; at < 7; at++) {
        const response = await logbook.put('/logs', entry, { as: `nobody:x${at}` });
        expect(response).toMatchObject({ status: 503, body: { code: 'auth.directory-unavailable' } });
      }
    });
  });
});
