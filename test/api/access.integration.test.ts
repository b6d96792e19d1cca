import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Right, rights } from '../../src/auth/permissions.js';
import type { Role } from '../../src/auth/principal.js';
import { OidcLogbook } from '../fixtures/oidc-logbook.js';
import { basicAuth } from '../fixtures/raw-http.js';
import { startAndListRoutes } from '../fixtures/routes.js';
import { type Answer, type CallOptions, call, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

/** Requirement of a route: nothing, a session or a password, a right. `own-drafts`: only tokens need a right. */
type Needs = 'nothing' | 'own-drafts' | 'password' | Right;

const entry = { title: 'x', logbooks: [{ name: 'operations' }] };
const form = () => {
  const data = new FormData();
  data.append('logEntry', new Blob([JSON.stringify(entry)], { type: 'application/json' }));
  return { body: data };
};

/** Methods and addresses below the root path. Each request is valid, or names something that does not exist (404). */
const routes: readonly (readonly [method: string, path: string, needs: Needs, send?: () => CallOptions])[] = [
  ['GET', '/', 'nothing'],
  ['GET', '/configuration', 'nothing'],
  ['GET', '/bootstrap', 'nothing'],
  ['GET', '/help/:what', 'nothing'],
  ['GET', '/logs', 'nothing'],
  ['GET', '/logs/search', 'nothing'],
  ['GET', '/logs/facets', 'nothing'],
  ['GET', '/logs/rss', 'nothing'],
  // Refused after the access check, because the stream has no end.
  ['GET', '/changes?lastEventId=none', 'nothing'],
  ['GET', '/logs/:logId', 'nothing'],
  ['GET', '/logs/archived/:logId', 'nothing'],
  ['GET', '/logs/:logId/similar', 'nothing'],
  ['GET', '/logs/:logId/snapshots/:snapshotId', 'nothing'],
  ['GET', '/logs/:logId/versions/:number', 'nothing'],
  ['GET', '/threads/:groupId', 'nothing'],
  ['GET', '/suggest?key=tag', 'nothing'],
  ['GET', '/devices/:name', 'nothing'],
  ['GET', '/devices/:name/history', 'nothing'],
  ['GET', '/devices/:name/alarms', 'nothing'],
  ['GET', '/logs/attachments/:logId/:attachmentName', 'nothing'],
  ['GET', '/attachment/:attachmentId', 'nothing'],
  ['GET', '/attachment/:attachmentId/thumbnail', 'nothing'],
  ['PUT', '/logs', 'entries', () => ({ json: entry })],
  ['POST', '/logs/:logId', 'entries', () => ({ json: entry })],
  ['PUT', '/logs/multipart', 'entries', form],
  ['POST', '/logs/multipart', 'entries', form],
  ['POST', '/logs/attachments/:logId', 'entries', form],
  ['PUT', '/logs/:logId/blocks/:sequence', 'entries', () => ({ json: {} })],
  ['PUT', '/logs/:logId/blocks/:sequence/multipart', 'entries', form],
  ['POST', '/logs/:logId/close', 'entries', () => ({ json: { status: 'done' } })],
  ['POST', '/logs/group', 'entries', () => ({ json: [998, 999] })],
  ['POST', '/logs/ungroup', 'entries', () => ({ json: [999] })],
  ['GET', '/templates', 'nothing'],
  ['GET', '/templates/:logTemplateId', 'nothing'],
  ['PUT', '/templates', 'templates', () => ({ json: { title: randomBytes(8).toString('hex') } })],
  ['DELETE', '/templates/:logTemplateId', 'templates'],
  ...(['tags', 'logbooks', 'properties', 'levels'] as const).flatMap((kind) => {
    const item = { name: 'mine', owner: 'me' };
    const one = { tags: 'tagName', logbooks: 'logbookName', properties: 'propertyName', levels: 'levelName' }[kind];
    return [
      ['GET', `/${kind}`, 'nothing'],
      ['GET', `/${kind}/:${one}`, 'nothing'],
      ['PUT', `/${kind}`, kind, () => ({ json: [] })],
      ['PUT', `/${kind}/:${one}`, kind, () => ({ json: item })],
      ...(kind === 'levels'
        ? ([
            ['GET', '/level/:levelName', 'nothing'],
            ['PUT', '/level/:levelName', kind, () => ({ json: item })],
          ] as const)
        : []),
      ['DELETE', `/${kind}/:${one}`, kind],
    ] as const;
  }),
  ['GET', '/drafts', 'own-drafts'],
  ['GET', '/drafts/:draftId', 'own-drafts'],
  ['PUT', '/drafts/:draftId', 'entries', () => ({ json: {} })],
  ['DELETE', '/drafts/:draftId', 'entries'],
  ['GET', '/drafts/:draftId/attachments', 'own-drafts'],
  ['GET', '/drafts/:draftId/attachments/:attachmentId', 'own-drafts'],
  ['GET', '/drafts/:draftId/attachments/:attachmentId/content', 'own-drafts'],
  ['PUT', '/drafts/:draftId/attachments/:attachmentId', 'entries', () => ({ body: 'x' })],
  ['DELETE', '/drafts/:draftId/attachments/:attachmentId', 'entries'],
  ['GET', '/me', 'nothing'],
  ['GET', '/me/settings', 'password'],
  ['PUT', '/me/settings', 'password', () => ({ json: {} })],
  ['GET', '/me/searches', 'password'],
  ['POST', '/me/searches', 'password', () => ({ json: { name: 'x', query: '' } })],
  ['GET', '/me/searches/:id', 'password'],
  ['PUT', '/me/searches/:id', 'password', () => ({ json: { name: 'x', query: '' } })],
  ['DELETE', '/me/searches/:id', 'password'],
  ['GET', '/me/inbox', 'password'],
  ['POST', '/me/inbox/read', 'password', () => ({ json: {} })],
  ['GET', '/me/delivery', 'password'],
  ['PUT', '/me/delivery', 'password', () => ({ json: { mail: false, quiet: null } })],
  ['PUT', '/me/browsers', 'password', () => ({ json: { endpoint: '', publicKey: '', secret: '', name: '' } })],
  ['DELETE', '/me/browsers/:id', 'password'],
  ['GET', '/unsubscribe/:token', 'nothing'],
  ['POST', '/unsubscribe/:token', 'nothing'],
  ['GET', '/me/watches', 'password'],
  ['POST', '/me/watches', 'password', () => ({ json: { kind: 'mentions' } })],
  ['PUT', '/me/watches/:id', 'password', () => ({ json: { kind: 'mentions' } })],
  ['DELETE', '/me/watches/:id', 'password'],
  ['GET', '/user', 'nothing'],
  ['GET', '/sessions', 'password'],
  ['DELETE', '/sessions/:id', 'password'],
  ['GET', '/tokens', 'password'],
  ['POST', '/tokens', 'password', () => ({ json: { name: 'x', rights: [] } })],
  ['DELETE', '/tokens/:id', 'password'],
  ['GET', '/audit', 'admin'],
  ['GET', '/access-rules', 'admin'],
  ['POST', '/logs/:logId/redaction', 'admin', () => ({ json: { reason: 'why', text: true } })],
  ['GET', '/subscribers', 'admin'],
  ['DELETE', '/subscribers/:name', 'admin'],
  ['GET', '/subscribers/:name/dead-letters', 'admin'],
  ['POST', '/subscribers/:name/dead-letters/:id', 'admin'],
  ['DELETE', '/subscribers/:name/dead-letters/:id', 'admin'],
  // Last, because they end sessions.
  ['POST', '/login', 'nothing', () => ({ json: { username: 'admin', password: 'adminPass' } })],
  ['GET', '/logout', 'nothing'],
  ['POST', '/logout', 'nothing'],
];

/** Ends the token that it is called with. The sign-in with a code tests it. */
const endsOwnToken = 'DELETE /logbook/tokens/self';

/** All other routes, with the status that everybody gets. */
const alike: readonly (readonly [method: string, path: string, status: number])[] = [
  ['GET', '/logbook/web-socket', 101],
  ['GET', '/logbook/login/oidc', 302],
  // No sign-in has begun.
  ['GET', '/logbook/login/oidc/callback', 401],
  // They need a body.
  ['POST', '/logbook/login/oidc/device', 400],
  ['POST', '/logbook/login/oidc/device/token', 400],
  ['GET', '/', 200],
  ...['', '/logbook'].flatMap((base) =>
    [
      '/SearchHelp.html',
      '/SearchHelp_:language.html',
      '/CommonmarkCheatsheet.html',
      '/CommonmarkCheatsheet_:language.html',
    ].map((page) => ['GET', `${base}${page}`, 200] as const),
  ),
  ['GET', '/favicon.ico', 200],
  ['GET', '/logs/*', 404],
  ['GET', '/healthz', 200],
  ['GET', '/readyz', 200],
  ['GET', '/metrics', 200],
  ['GET', '/openapi.json', 200],
  ['GET', '/swagger-ui', 302],
  ['GET', '/swagger-ui/index.html', 200],
  ['GET', '/swagger-ui/start.js', 200],
  ['GET', '/swagger-ui/static/*', 200],
  ['OPTIONS', '*', 204],
];

/** Pages and files of the browser client, which are the same for everybody. A checkout without a build has none. */
const ofClient =
  /^GET \/(assets\/.*|(entries|write|new|at|devices|drafts|saved|inbox|hand-over|wall|sign-in|administration|look-after)(\/\*)?|theme\.js|icon\.svg|manifest\.webmanifest|service-worker\.js)$/;

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
const parameters: Record<string, string> = {
  what: 'SearchHelp',
  draftId: '8f14e45f-ceea-467f-9575-2f1d2a4c3b9e',
};
const addressOf = (path: string) =>
  path
    .replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? '997')
    .replace(/static\/\*$/, 'static/index.css')
    .replace(/^\*$/, '/logbook/logs');

/** The status with which a request for a WebSocket is answered. */
async function upgrade(url: string, { as, headers }: CallOptions): Promise<{ status: number | undefined }> {
  const authorization = as ? { authorization: basicAuth(as) } : {};
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { ...headers, ...authorization } });
  socket.on('error', () => undefined);
  const response = await new Promise<IncomingMessage>((resolve) => {
    socket.once('upgrade', resolve);
    socket.once('unexpected-response', (_, refusal) => resolve(refusal));
  });
  socket.terminate();
  return { status: response.statusCode };
}

describe.each(['signed-in', 'roles'] as const)('permissions=%s', (permissions) => {
  let both: OidcLogbook;
  let logbook: TestService;
  let routed: readonly string[];
  const callers = new Map<string, CallOptions>();
  beforeAll(async () => {
    [both, routed] = await startAndListRoutes(() => OidcLogbook.start({ permissions }));
    ({ logbook } = both);
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
    await both.stop();
  });

  const ask = ([method, path, , send]: (typeof routes)[number], caller: string) =>
    logbook.call(addressOf(path), { method, ...callers.get(caller), ...send?.() });
  /** Past the access check: done, or refused because of the request itself. */
  const passed = ({ status, body }: Answer) => !String(body?.code).startsWith('auth.') && status < 500;

  const listed = routes.map(([method, path]) => `${method} /logbook${path.replace(/\?.*|^\/$/, '')}`);

  test('the tables have the routes of the router and no others', () => {
    const bare = routed.filter((route) => !route.startsWith('HEAD ') && !ofClient.test(route));
    const others = alike.map(([method, path]) => `${method} ${path}`);
    expect([...listed, ...others, endsOwnToken].toSorted()).toEqual(bare.toSorted());
  });

  test('the description has everything below the root path except the WebSocket', async () => {
    const described = (await fetch(`${logbook.origin}/openapi.json`).then((answer) => answer.json())) as {
      paths: Record<string, object>;
    };
    const inDescription = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const oidc = alike.flatMap(([method, path]) => (path.startsWith('/logbook/login/') ? `${method} ${path}` : []));
    expect(inDescription.toSorted()).toEqual([...listed, ...oidc, endsOwnToken].toSorted());
  });

  test('HEAD has the status of GET', async () => {
    const heads = routed.flatMap((route) =>
      route.startsWith('HEAD ') && !ofClient.test(route.replace('HEAD', 'GET')) ? route.slice('HEAD '.length) : [],
    );
    expect(heads.length).toBeGreaterThan(30);
    for (const path of heads) {
      for (const caller of ['anonymous', 'expired', 'USER', 'token none']) {
        const url = `${logbook.origin}${addressOf(path)}`;
        const [head, get] = [
          await call(url, { ...callers.get(caller), method: 'HEAD' }),
          await call(url, callers.get(caller)),
        ];
        expect([path, caller, head.status]).toEqual([path, caller, get.status]);
      }
    }
  });

  test.each(alike)('%s %s: %i for everybody', async (method, path, status) => {
    for (const [caller, options] of callers) {
      const url = `${logbook.origin}${addressOf(path)}`;
      const answer = status === 101 ? await upgrade(url, options) : await call(url, { ...options, method });
      expect([caller, answer.status]).toEqual([caller, status]);
    }
  });

  describe.each(routes.map((route) => [`${route[0]} ${route[1]} needs ${route[2]}`, route] as const))(
    '%s',
    (_, route) => {
      const needs = route[2];

      test('no credentials, an expired session', async () => {
        for (const caller of ['anonymous', 'expired']) {
          const answer = await ask(route, caller);
          if (needs === 'nothing') expect(answer.body?.code ?? '').toMatch(/^(?!auth\.)|^auth\.not-signed-in$/);
          else expect([caller, answer.status, answer.body.code]).toEqual([caller, 401, 'auth.sign-in-required']);
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
              ? 'auth.password-required'
              : needs !== 'nothing' && (needs === 'own-drafts' ? 'entries' : needs) !== right
                ? 'auth.right-missing'
                : '';
          if (code === '') expect([right, answer.text, passed(answer)]).toMatchObject({ 0: right, 2: true });
          else expect([right, answer.status, answer.body.code]).toEqual([right, 403, code]);
        }
      });

      test('a wrong password', async () => {
        const answer = await ask(route, 'wrong password');
        if (needs === 'nothing' && !['/user', '/me'].includes(route[1])) expect(passed(answer)).toBe(true);
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
    const tokenOf = async (rights: Right[]): Promise<CallOptions> => {
      const { body } = await logbook.post('/tokens', { name: 'x', rights }, admin);
      return { as: null, headers: { authorization: `Bearer ${body.token}` } };
    };
    expect(await change(await tokenOf(['entries']))).toMatchObject({ body: { code: 'auth.not-the-author' } });
    expect((await change(await tokenOf(['entries', 'admin']))).status).toBe(200);
    expect((await change(admin)).body).toMatchObject({ modifiedBy: 'boss', owner: 'jane' });
    const attach = () => {
      const body = new FormData();
      body.append('file', new File(['x'], 'x.txt'), 'x.txt');
      return { method: 'POST', body };
    };
    expect((await logbook.call(`/logs/attachments/${id}`, { ...joe, ...attach() })).status).toBe(403);
    expect((await logbook.call(`/logs/attachments/${id}`, { ...jane, ...attach() })).status).toBe(200);
    // A reply is not a change of the entry.
    expect((await logbook.put(`/logs?inReplyTo=${id}`, entry, joe)).status).toBe(200);
    expect((await logbook.get(`/logs/archived/${id}`)).body.hitCount).toBe(4);
  });
});
