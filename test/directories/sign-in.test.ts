import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

  test('groups become roles, by member and by memberUid; the name is the directory’s', async () => {
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
    ['a password with something behind', 'admin', 'adminPass\u0000'],
    ['a password of 1 MB', 'admin', 'x'.repeat(900_000)],
    ['a name of 1 MB', 'x'.repeat(900_000), 'adminPass'],
    ['a password with colons', 'admin', 'admin:Pass:'],
    ['a name that is no ASCII', 'ädmin', 'adminPass'],
    ['a password that is no ASCII', 'admin', 'pässwörd'],
  ])('401 for %s, and never somebody else', async (_case, username, password) => {
    const answer = await logbook.post('/login', { username, password }, { as: null });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([expect.toBeOneOf([400, 401, 429]), []]);
    // Where a header can carry them.
    if (username.length + password.length < 5_000) {
      expect((await logbook.put('/logs', entry, { as: `${username}:${password}` })).status).toBeOneOf([401, 429]);
    }
  });
});

describe('a directory that takes a request and never answers', () => {
  let logbook: TestService;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    logbook = await TestService.start({
      authenticationProviders: 'ldap,inMemory',
      ldapPropertySource: await fileOf(
        'hanging.properties',
        `ldap.urls = ldap://127.0.0.1:${port}\nldap.user.dn.pattern = uid={0},dc=example\nldap.connect.timeout = 1s\nldap.operation.timeout = 1s\n`,
      ),
    });
  });
  afterAll(async () => {
    await logbook.stop();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test('the next scheme is tried; who reads, and who has a session, does not wait', async () => {
    const login = await logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null });
    expect(login.status).toBe(200);
    const session = { as: null, headers: { cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '' } };
    let waiting = true;
    const waited = logbook.put('/logs', entry, { as: 'admin:adminPass' }).finally(() => {
      waiting = false;
    });
    for (let at = 0; at < 5; at++) {
      expect((await logbook.get('/logs', { as: null })).status).toBe(200);
      expect((await logbook.put('/logs', entry, session)).status).toBe(200);
    }
    expect(waiting).toBe(true);
    expect((await waited).status).toBe(200);
  });

  test('503 auth.directory-unavailable for whom no other scheme knows; it is not counted as a guess', async () => {
    for (let at = 0; at < 7; at++) {
      const answer = await logbook.put('/logs', entry, { as: `nobody:x${at}` });
      expect(answer).toMatchObject({ status: 503, body: { code: 'auth.directory-unavailable' } });
    }
  }, 60_000);
});
