import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Right, rights } from '../../src/auth/permission.js';
import type { Principal, Role } from '../../src/auth/principal.js';
import { hashOfSecret } from '../../src/auth/secret.js';
import { type Answer, type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';

/** What a route needs: nothing, a session or a password, a right. */
type Needs = 'nothing' | 'password' | Right;

const entry = { title: 'x', logbooks: [{ name: 'operations' }] };
const form = () => {
  const data = new FormData();
  data.append('logEntry', new Blob([JSON.stringify(entry)], { type: 'application/json' }));
  return { body: data };
};

/** Every method and address below the root path; what is sent is right, or names what is not there (404). */
const routes: readonly (readonly [method: string, path: string, needs: Needs, send?: () => CallOptions])[] = [
  ['GET', '/', 'nothing'],
  ['GET', '/configuration', 'nothing'],
  ['GET', '/help/:what', 'nothing'],
  ['GET', '/logs', 'nothing'],
  ['GET', '/logs/search', 'nothing'],
  ['GET', '/logs/facets', 'nothing'],
  ['GET', '/logs/rss', 'nothing'],
  // Refused past the door, for the stream has no end.
  ['GET', '/changes?lastEventId=none', 'nothing'],
  ['GET', '/logs/:logId', 'nothing'],
  ['GET', '/logs/archived/:logId', 'nothing'],
  ['GET', '/logs/attachments/:logId/:attachmentName', 'nothing'],
  ['GET', '/attachment/:attachmentId', 'nothing'],
  ['PUT', '/logs', 'entries', () => ({ json: entry })],
  ['POST', '/logs/:logId', 'entries', () => ({ json: entry })],
  ['PUT', '/logs/multipart', 'entries', form],
  ['POST', '/logs/multipart', 'entries', form],
  ['POST', '/logs/attachments/:logId', 'entries', form],
  ['POST', '/logs/group', 'entries', () => ({ json: [998, 999] })],
  ['GET', '/templates', 'nothing'],
  ['GET', '/templates/:id', 'nothing'],
  ['PUT', '/templates', 'templates', () => ({ json: { title: randomBytes(8).toString('hex') } })],
  ['DELETE', '/templates/:id', 'templates'],
  ...(['tags', 'logbooks', 'properties', 'levels'] as const).flatMap((kind) => {
    const item = { name: 'mine', owner: 'me' };
    return [
      ['GET', `/${kind}`, 'nothing'],
      ['GET', `/${kind}/:name`, 'nothing'],
      ['PUT', `/${kind}`, kind, () => ({ json: [] })],
      ['PUT', `/${kind}/:name`, kind, () => ({ json: item })],
      ...(kind === 'levels' ? [['PUT', '/level/:name', kind, () => ({ json: item })] as const] : []),
      ['DELETE', `/${kind}/:name`, kind],
    ] as const;
  }),
  ['GET', '/user', 'nothing'],
  ['GET', '/sessions', 'password'],
  ['DELETE', '/sessions/:id', 'password'],
  ['GET', '/tokens', 'password'],
  ['POST', '/tokens', 'password', () => ({ json: { name: 'x', rights: [] } })],
  ['DELETE', '/tokens/:id', 'password'],
  ['GET', '/audit', 'admin'],
  ['GET', '/followers', 'admin'],
  ['DELETE', '/followers/:name', 'admin'],
  ['GET', '/followers/:name/dead-letters', 'admin'],
  ['POST', '/followers/:name/dead-letters/:id', 'admin'],
  ['DELETE', '/followers/:name/dead-letters/:id', 'admin'],
  // Last, for they end sessions.
  ['POST', '/login', 'nothing', () => ({ json: { username: 'admin', password: 'adminPass' } })],
  ['GET', '/logout', 'nothing'],
  ['POST', '/logout', 'nothing'],
];

const roleNeeded: Record<Right, Role> = {
  entries: 'LOG',
  templates: 'LOG',
  tags: 'TAG',
  logbooks: 'LOGBOOK',
  properties: 'PROPERTY',
  levels: 'ADMIN',
  admin: 'ADMIN',
};
const isRight = (needs: Needs): needs is Right => (rights as readonly string[]).includes(needs);
const parameters: Record<string, string> = { what: 'SearchHelp' };
const addressOf = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? '997');

/** Whoever has signed in with these roles, by a session as sign-in makes it. */
async function sessionOf(logbook: TestService, who: Principal, expiresMs = Date.now() + 60_000): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await logbook.service.storage.write((tx) =>
    tx.sessions.put({
      id: randomBytes(8).toString('hex'),
      tokenHash: hashOfSecret(secret),
      account: { ...who, scheme: 'inMemory' },
      from: '127.0.0.1',
      createdMs: Date.now(),
      expiresMs,
      endsMs: Date.now() + 60_000,
    }),
  );
  return `SESSION=${secret}`;
}

const principal = (userName: string, roles: readonly Role[], groups: readonly string[] = []): Principal => ({
  userName,
  roles,
  groups,
});

describe.each(['signed-in', 'roles'] as const)('permissions=%s', (permissions) => {
  let logbook: TestService;
  const callers = new Map<string, CallOptions>();
  beforeAll(async () => {
    logbook = await TestService.start({ permissions });
    const withCookie = (cookie: string): CallOptions => ({ as: null, headers: { cookie } });
    for (const role of ['ADMIN', 'LOG', 'LOGBOOK', 'TAG', 'PROPERTY', 'USER'] as const) {
      callers.set(role, withCookie(await sessionOf(logbook, principal(`the ${role}`, [role]))));
    }
    callers.set('expired', withCookie(await sessionOf(logbook, principal('admin', ['ADMIN']), Date.now() - 1)));
    for (const right of [...rights, 'none'] as const) {
      const { body } = await logbook.post(
        '/tokens',
        { name: right, rights: right === 'none' ? [] : [right] },
        callers.get('ADMIN'),
      );
      callers.set(`token ${right}`, { as: null, headers: { authorization: `Bearer ${body.token}` } });
    }
    callers.set('anonymous', { as: null });
    callers.set('wrong password', { as: 'nobody:wrong' });
  });
  afterAll(async () => {
    await logbook.stop();
  });

  const ask = ([method, path, , send]: (typeof routes)[number], caller: string) =>
    logbook.call(addressOf(path), { method, ...callers.get(caller), ...send?.() });
  /** Past the door: done, or refused for what was asked. */
  const passed = ({ status, body }: Answer) => !String(body?.code).startsWith('auth.') && status < 500;

  test('every method and address of the service is in the table', async () => {
    const described = (await fetch(`${logbook.origin}/openapi.json`).then((answer) => answer.json())) as {
      paths: Record<string, object>;
    };
    const served = Object.entries(described.paths)
      .filter(([path]) => path.startsWith('/logbook'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice('/logbook'.length) || '/'}`),
      );
    const listed = routes.map(([method, path]) => `${method} ${path.replace(/\?.*/, '').replace(/:(\w+)/g, '{$1}')}`);
    expect(served.toSorted()).toEqual(listed.toSorted());
  });

  describe.each(routes.map((route) => [`${route[0]} ${route[1]} needs ${route[2]}`, route] as const))(
    '%s',
    (_, route) => {
      const needs = route[2];

      test('nobody, an expired session', async () => {
        for (const caller of ['anonymous', 'expired']) {
          const answer = await ask(route, caller);
          if (needs === 'nothing') expect(answer.body?.code ?? '').toMatch(/^(?!auth\.)|^auth\.nobody$/);
          else expect([caller, answer.status, answer.body.code]).toEqual([caller, 401, 'auth.sign-in-needed']);
        }
      });

      test('each role', async () => {
        for (const role of ['ADMIN', 'LOG', 'LOGBOOK', 'TAG', 'PROPERTY', 'USER'] as const) {
          const answer = await ask(route, role);
          const allowed =
            !isRight(needs) ||
            role === 'ADMIN' ||
            (permissions === 'signed-in' ? needs !== 'admin' : role === roleNeeded[needs]);
          if (allowed) expect([role, answer.status, answer.text, passed(answer)]).toMatchObject({ 0: role, 3: true });
          else {
            expect([role, answer.status, answer.body.code]).toEqual([role, 403, 'auth.role-missing']);
            expect(answer.body.message).toContain(roleNeeded[needs]);
          }
        }
      });

      test('a token with and without the right', async () => {
        for (const right of [...rights, 'none'] as const) {
          const answer = await ask(route, `token ${right}`);
          const code =
            needs === 'password'
              ? 'auth.password-needed'
              : isRight(needs) && needs !== right
                ? 'auth.right-missing'
                : '';
          if (code === '') expect([right, answer.text, passed(answer)]).toMatchObject({ 0: right, 2: true });
          else expect([right, answer.status, answer.body.code]).toEqual([right, 403, code]);
        }
      });

      test('a wrong password', async () => {
        const answer = await ask(route, 'wrong password');
        if (needs === 'nothing' && route[1] !== '/user') expect(passed(answer)).toBe(true);
        else expect(answer.body.code).toMatch(/^auth\.(bad-credentials|throttled)$/);
      });
    },
  );
});

describe('permissions=roles', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({ permissions: 'roles' });
  });
  afterAll(async () => {
    await logbook.stop();
  });

  test('403 auth.not-the-author: an entry is changed by its author and by administrators', async () => {
    const as = async (userName: string, role: Role): Promise<CallOptions> => ({
      as: null,
      headers: { cookie: await sessionOf(logbook, principal(userName, [role])) },
    });
    const [jane, joe, admin] = [await as('jane', 'LOG'), await as('joe', 'LOG'), await as('boss', 'ADMIN')];
    const { id } = await logbook.create({}, '', jane);
    const change = (by: CallOptions) => logbook.post(`/logs/${id}`, entry, by);
    expect(await change(joe)).toMatchObject({ status: 403, body: { code: 'auth.not-the-author' } });
    expect((await change(jane)).body).toMatchObject({ modifiedBy: 'jane' });
    expect((await change(admin)).body).toMatchObject({ modifiedBy: 'boss', owner: 'jane' });
    const attach = () => {
      const body = new FormData();
      body.append('file', new File(['x'], 'x.txt'), 'x.txt');
      return { method: 'POST', body };
    };
    expect((await logbook.call(`/logs/attachments/${id}`, { ...joe, ...attach() })).status).toBe(403);
    expect((await logbook.call(`/logs/attachments/${id}`, { ...jane, ...attach() })).status).toBe(200);
    // Answering is no change of it.
    expect((await logbook.put(`/logs?inReplyTo=${id}`, entry, joe)).status).toBe(200);
    expect((await logbook.get(`/logs/archived/${id}`)).body.hitCount).toBe(3);
  });
});

describe('logbooks that are closed', () => {
  let logbook: TestService;
  let dir: string;
  const sessions: Record<string, CallOptions> = {};
  beforeAll(async () => {
    dir = await makeTempDir();
    const file = join(dir, 'access.properties');
    await writeFile(
      file,
      'Safety.read = Safety Team, user:jane\nSafety.write = Safety Team\noperations.write = signed-in\n',
    );
    logbook = await TestService.start({ logbookAccessFile: file });
    for (const name of ['Safety', 'Open']) await logbook.put(`/logbooks/${name}`, { name, owner: 'x' });
    const as = async (userName: string, roles: Role[], groups: string[]): Promise<CallOptions> => ({
      as: null,
      headers: { cookie: await sessionOf(logbook, principal(userName, roles, groups)) },
    });
    sessions.member = await as('mia', ['USER'], ['safety team']);
    sessions.jane = await as('jane', ['USER'], []);
    sessions.other = await as('otto', ['USER'], ['Other Team']);
    sessions.admin = await as('boss', ['ADMIN'], []);
    sessions.nobody = { as: null };
  });
  afterAll(async () => {
    await logbook.stop();
    await rm(dir, { recursive: true });
  });

  const inBooks = (...names: string[]) => ({ logbooks: names.map((name) => ({ name })) });
  const insiders = ['member', 'jane', 'admin'];
  const outsiders = ['other', 'nobody'];

  test('what is filed there is there for those who may read it alone, wherever one looks', async () => {
    const secret = { title: 'secretword', description: 'hushhush', ...inBooks('Open', 'safety'.replace('s', 'S')) };
    const body = new FormData();
    body.append(
      'logEntry',
      new Blob([JSON.stringify({ ...secret, attachments: [{ id: 'hidden-file', filename: 'secret.txt' }] })], {
        type: 'application/json',
      }),
    );
    body.append('files', new File(['xyzzywords'], 'secret.txt'), 'secret.txt');
    const made = await logbook.call('/logs/multipart', { method: 'PUT', body, ...sessions.member });
    expect(made.status, made.text).toBe(200);
    const { id } = made.body;
    const edited = await logbook.post(`/logs/${id}`, { ...secret, description: 'again' }, sessions.member);
    expect(edited.status, edited.text).toBe(200);

    const look = async (options: CallOptions = {}) => {
      const status = async (path: string) => (await logbook.get(path, options)).status;
      const search = await logbook.get('/logs/search?query=secretword', options);
      const explained = await logbook.get('/logs/search?query=secretwor*&explain=true', options);
      const facets = await logbook.get('/logs/facets?owner=mia', options);
      return {
        entry: await status(`/logs/${id}`),
        archive: await status(`/logs/archived/${id}`),
        byName: await status(`/logs/attachments/${id}/secret.txt`),
        byId: await status('/attachment/hidden-file'),
        hits: search.body.hitCount,
        list: (await logbook.get('/logs?title=secretword', options)).body.length,
        feed: (await logbook.get('/logs/rss?title=secretword', options)).text.includes('<item>'),
        counted: facets.body.hitCount,
        explained: JSON.stringify(explained.body).includes('secretword'),
      };
    };
    const all = { entry: 200, archive: 200, byName: 200, byId: 200, hits: 1, list: 1, feed: true, counted: 1 };
    const none = { entry: 404, archive: 404, byName: 404, byId: 404, hits: 0, list: 0, feed: false, counted: 0 };
    for (const name of insiders) expect({ name, ...(await look(sessions[name])) }).toMatchObject({ name, ...all });
    for (const name of outsiders) {
      expect({ name, ...(await look(sessions[name])) }).toEqual({ name, ...none, explained: false });
    }
  });

  test('403 auth.logbook-closed for who may not write there; what cannot be read cannot be answered, grouped, used', async () => {
    const closed = { title: 'x', ...inBooks('Safety') };
    for (const name of ['jane', 'other']) {
      expect(await logbook.put('/logs', closed, sessions[name])).toMatchObject({
        status: 403,
        body: { code: 'auth.logbook-closed' },
      });
    }
    const made = await logbook.put('/logs', closed, sessions.member);
    expect(made.status).toBe(200);
    const hidden = made.body.id;
    const own = (await logbook.create({}, '', sessions.other)).id;
    const other = sessions.other as CallOptions;
    expect((await logbook.put(`/logs?inReplyTo=${hidden}`, entry, other)).body.code).toBe('entry.unknown-parent');
    expect((await logbook.post('/logs/group', [own, hidden], other)).body.code).toBe('group.unknown-entry');
    expect((await logbook.post(`/logs/${hidden}`, entry, other)).body.code).toBe('entry.not-found');
    expect((await logbook.post(`/logs/${hidden}`, entry, sessions.jane)).body.code).toBe('auth.logbook-closed');
    expect((await logbook.post(`/logs/${own}`, closed, other)).body.code).toBe('auth.logbook-closed');
    const body = new FormData();
    body.append(
      'logEntry',
      new Blob([JSON.stringify({ ...entry, attachments: [{ id: 'hidden-file' }] })], { type: 'application/json' }),
    );
    const stolen = await logbook.call('/logs/multipart', { method: 'PUT', body, ...other });
    expect(stolen.body.code).toBe('attachment.file-missing');
  });

  test('a version that was filed elsewhere stays there', async () => {
    const { id } = (await logbook.put('/logs', { title: 'moved', ...inBooks('Safety') }, sessions.member)).body;
    expect((await logbook.post(`/logs/${id}`, { title: 'public', ...inBooks('Open') }, sessions.member)).status).toBe(
      200,
    );
    expect((await logbook.get(`/logs/${id}`, sessions.nobody)).body.title).toBe('public');
    expect((await logbook.get(`/logs/archived/${id}`, sessions.nobody)).body).toEqual({ hitCount: 0, logs: [] });
    expect((await logbook.get(`/logs/archived/${id}`, sessions.member)).body.hitCount).toBe(1);
  });

  test('templates of a closed logbook are there for those who may read it alone', async () => {
    const made = await logbook.put(
      '/templates',
      { id: 't1', title: 'hidden template', ...inBooks('Safety') },
      sessions.member,
    );
    expect(made.status, made.text).toBe(200);
    for (const [name, status] of [
      ['member', 200],
      ['other', 404],
      ['nobody', 404],
    ] as const) {
      expect((await logbook.get('/templates/t1', sessions[name])).status).toBe(status);
      expect((await logbook.get('/templates', sessions[name])).text.includes('hidden')).toBe(status === 200);
    }
    expect((await logbook.call('/templates/t1', { method: 'DELETE', ...sessions.other })).status).toBe(404);
  });

  test('the order by relevance is the same whatever is hidden', async () => {
    const outsider = sessions.other as CallOptions;
    const order = async () =>
      (await logbook.get('/logs/search?query=rareword%20commonword%20-zz&sort=relevance', outsider)).body.logs.map(
        ({ title }: { title: string }) => title,
      );
    for (const title of ['rareword commonword commonword', 'rareword rareword commonword']) {
      await logbook.create({ title, ...inBooks('Open') }, '', outsider);
    }
    const before = await order();
    for (let at = 0; at < 20; at++)
      await logbook.create({ title: 'rareword', ...inBooks('Safety') }, '', sessions.member);
    expect(await order()).toEqual(before);
  });

  test('a reply needs the right to write where it answers, for it changes what it answers', async () => {
    const { id } = await logbook.create(inBooks('Safety'), '', sessions.member);
    expect((await logbook.put(`/logs?inReplyTo=${id}`, entry, sessions.jane)).body.code).toBe('auth.logbook-closed');
    expect((await logbook.get(`/logs/${id}`, sessions.jane)).headers.get('etag')).toBe('"1"');
  });
});

test.each([
  ['two spellings of one logbook', 'Safety.read = a\nsafety.READ = b\n', /neither/],
  ['one key in two spellings', 'Safety.read = a\nsafety.read = signed-in\n', /twice/],
  ['no .read or .write', 'Safety = a\n', /neither/],
])('logbookAccessFile with %s does not start', async (_case, text, problem) => {
  const dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, text);
  await expect(TestService.start({ logbookAccessFile: file })).rejects.toThrow(problem);
  await rm(dir, { recursive: true });
});

test('a logbook is closed by all its lines, however they are spelt', async () => {
  const dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = a\nSAFETY.write = signed-in\n');
  const logbook = await TestService.start({ logbookAccessFile: file });
  try {
    await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, { as: 'admin:adminPass' });
    const { id } = await logbook.create({ logbooks: [{ name: 'Safety' }] }, '', { as: 'admin:adminPass' });
    expect((await logbook.get(`/logs/${id}`, { as: null })).status).toBe(404);
  } finally {
    await logbook.stop();
    await rm(dir, { recursive: true });
  }
});
