import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

describe('GET /me', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({ requireSignInForReads: 'true' });
  });
  afterAll(() => logbook.stop());

  test('200 with userName null for a reader who is not signed in, also where reading requires it', async () => {
    const { status, headers, body } = await logbook.get('/me', { as: null });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toContain('Cookie');
    expect(body).toEqual({
      userName: null,
      displayName: null,
      roles: [],
      permissions: [],
      logbooks: [
        { name: 'controls', read: true, write: false },
        { name: 'operations', read: true, write: false },
      ],
      session: null,
      signIn: {
        password: true,
        oidc: false,
        evaluationUsers: [
          { userName: 'user', password: 'userPass' },
          { userName: 'admin', password: 'adminPass' },
        ],
      },
    });
  });

  test('the session with its end, which is not extended', async () => {
    const expiresMs = Date.now() + 3_600_000;
    const cookie = await sessionOf(logbook, principal('mia', []), expiresMs);
    const get = () => logbook.get('/me', { as: null, headers: { cookie } });
    await get();
    expect((await get()).body).toMatchObject({
      userName: 'mia',
      roles: ['USER'],
      permissions: ['entries', 'templates', 'logbooks', 'tags', 'properties', 'levels'],
      session: { expiresDate: expiresMs },
    });
  });

  test('200 with userName null after the session has expired', async () => {
    const cookie = await sessionOf(logbook, principal('mia', []), Date.now() - 1);
    expect((await logbook.get('/me', { as: null, headers: { cookie } })).body.userName).toBeNull();
  });

  test('a password is not a session, and a wrong one is refused', async () => {
    const { body } = await logbook.get('/me', { as: 'admin:adminPass' });
    expect(body).toMatchObject({ userName: 'admin', roles: ['ADMIN'], session: null });
    expect(body.permissions).toContain('admin');
    expect((await logbook.get('/me', { as: 'admin:wrong' })).status).toBe(401);
  });

  test('a token has only its own rights', async () => {
    const made = await logbook.post('/tokens', { name: 'reader', rights: [] });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const { body } = await logbook.get('/me', { as: null, headers });
    expect(body).toMatchObject({ userName: 'user', permissions: [] });
    expect(body.logbooks.map(({ write }: { write: boolean }) => write)).toEqual([false, false]);
  });
});

describe('GET /me with closed logbooks and roles', () => {
  let logbook: TestService;
  let dir: string;
  beforeAll(async () => {
    dir = await makeTempDir();
    const logbookAccessFile = join(dir, 'access.properties');
    await writeFile(logbookAccessFile, 'Safety.read = Safety Team\noperations.write = user:otto\n');
    logbook = await TestService.start({ logbookAccessFile, permissions: 'roles' });
    await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, { as: 'admin:adminPass' });
  });
  afterAll(async () => {
    await logbook.stop();
    await rm(dir, { recursive: true });
  });

  const session = async (...who: Parameters<typeof principal>): Promise<CallOptions> => ({
    as: null,
    headers: { cookie: await sessionOf(logbook, principal(...who)) },
  });
  const logbooksOf = async (options: CallOptions) =>
    (await logbook.get('/me', options)).body.logbooks.map(
      ({ name, write }: { name: string; write: boolean }) => `${name}${write ? ' w' : ''}`,
    );

  test('names only what may be read, and marks what may be written', async () => {
    expect(await logbooksOf({ as: null })).toEqual(['controls', 'operations']);
    expect(await logbooksOf(await session('mia', ['LOG'], ['safety team']))).toEqual([
      'Safety w',
      'controls w',
      'operations',
    ]);
    expect(await logbooksOf(await session('otto', ['LOG']))).toEqual(['controls w', 'operations w']);
    expect(await logbooksOf(await session('otto', ['USER']))).toEqual(['controls', 'operations']);
    expect(await logbooksOf(await session('boss', ['ADMIN']))).toEqual(['Safety w', 'controls w', 'operations w']);
  });
});
