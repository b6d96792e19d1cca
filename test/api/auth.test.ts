import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { call, TestService } from '../fixtures/service.js';

const entry = { title: 'x', logbooks: [{ name: 'operations' }] };

describe('sign-in over HTTP', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  const login = (username: unknown, password: unknown) => logbook.post('/login', { username, password }, { as: null });
  const cookieOf = (answer: { headers: Headers }) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const withCookie = (cookie: string) => ({ as: null, headers: { cookie } });

  test.each([
    ['none', undefined],
    ['a wrong password', `Basic ${btoa('user:wrong')}`],
    ['an unknown user', `Basic ${btoa('nobody:userPass')}`],
    ['an empty password', `Basic ${btoa('user:')}`],
    ['no colon', `Basic ${btoa('user')}`],
    ['nothing behind Basic', 'Basic'],
    ['no Base64', 'Basic ###'],
    ['no UTF-8', `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0x61]).toString('base64')}`],
    ['another scheme', 'Digest username="user"'],
    ['a bearer token', 'Bearer abc'],
    ['a very long one', `Basic ${Buffer.from(`user:${'x'.repeat(9_000)}`).toString('base64')}`],
    ['an injection', `Basic ${btoa('*)(uid=*:userPass')}`],
  ])('401 with a challenge for credentials that are %s; nothing stored', async (_case, authorization) => {
    const answer = await logbook.put('/logs', entry, {
      as: null,
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(answer).toMatchObject({ status: 401, body: { status: 401, code: expect.stringMatching(/^auth\./) } });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="logbook"');
    expect((await logbook.search('')).hitCount).toBe(0);
  });

  describe('401 without a challenge, so that no browser shows its own password dialogue:', () => {
    test('POST /login', async () => {
      const answer = await login('user', 'wrong');
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, null]);
    });

    test.each([
      ['a page of an allowed other site', { origin: 'http://localhost:3000' }],
      ['a script', { 'sec-fetch-mode': 'cors' }],
      ['a script of the same site', { 'sec-fetch-mode': 'same-origin', 'sec-fetch-site': 'same-origin' }],
      ['a client that names itself', { 'x-logbook-client-info': 'Phoebus' }],
      ['a client that names itself by the alias', { 'x-olog-client-info': 'Phoebus' }],
    ])('%s', async (_case, headers) => {
      const { status, head } = await sendRaw(logbook.origin, [
        rawRequest('GET', '/logbook/sessions', { authorization: '', ...headers }),
      ]);
      expect([status, /www-authenticate/i.test(head)]).toEqual([401, false]);
    });

    test('a page that the user opens gets a challenge, and so does a program', async () => {
      const { origin } = logbook;
      for (const headers of [{ 'sec-fetch-mode': 'navigate' }, { origin }, {}]) {
        const request = rawRequest('GET', '/logbook/sessions', {
          authorization: '',
          host: new URL(origin).host,
          ...headers,
        });
        expect((await sendRaw(origin, [request])).head).toMatch(/www-authenticate: Basic realm="logbook"/i);
      }
    });
  });

  test('responses that depend on the reader, errors included, tell caches so', async () => {
    for (const path of ['/logs', '/logs/search', '/tags', '/user', '/logs/rss', '/logs/7', '/sessions']) {
      const { headers } = await logbook.get(path, { as: null, headers: { origin: 'http://localhost:3000' } });
      const names = (headers.get('vary') ?? '').split(', ').sort();
      // The address of an entry is its page for a browser.
      const own = path === '/logs/7' ? ['Accept'] : [];
      expect({ path, names }).toEqual({ path, names: [...own, 'Authorization', 'Cookie', 'Origin'] });
    }
  });

  test('reading needs no credentials, and ignores wrong ones', async () => {
    expect((await logbook.get('/logs', { as: null })).status).toBe(200);
    expect((await logbook.get('/logs', { as: 'user:wrong' })).status).toBe(200);
  });

  test('a session is opened by POST /login, shown by GET /user and ended by logout', async () => {
    const answer = await login('admin', 'adminPass');
    expect(answer).toMatchObject({ status: 200, body: { userName: 'admin', roles: ['ADMIN'] } });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^SESSION=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const session = withCookie(cookieOf(answer));
    expect((await logbook.get('/user', session)).body).toEqual({ userName: 'admin', roles: ['ADMIN'] });
    const created = await logbook.put('/logs', entry, session);
    expect(created).toMatchObject({ status: 200, body: { owner: 'admin' } });
    expect((await logbook.get('/logout', session)).status).toBe(200);
    expect((await logbook.get('/user', session)).status).toBe(404);
    expect((await logbook.put('/logs', entry, session)).status).toBe(401);
    expect((await logbook.call('/logout', { method: 'POST', as: null })).status).toBe(200);
  });

  test('each login is a session of its own', async () => {
    const [one, two] = [cookieOf(await login('user', 'userPass')), cookieOf(await login('user', 'userPass'))];
    expect(one).not.toBe(two);
    await logbook.call('/logout', { method: 'POST', ...withCookie(one) });
    expect((await logbook.get('/user', withCookie(two))).status).toBe(200);
  });

  test.each([
    ['a wrong password', 'user', 'wrong', 401],
    ['an unknown user', 'nobody', 'x', 401],
    ['an empty password', 'user', '', 401],
    ['no password', 'user', undefined, 400],
    ['a number', 'user', 7, 400],
  ])('POST /login with %s: no session', async (_case, user, password, status) => {
    const answer = await login(user, password);
    expect(answer).toMatchObject({ status, body: { status } });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('GET /user: 404 without credentials, the user with Basic credentials', async () => {
    expect(await logbook.get('/user', { as: null })).toMatchObject({
      status: 404,
      body: { code: 'auth.not-signed-in' },
    });
    expect((await logbook.get('/user')).body).toEqual({ userName: 'user', roles: ['USER'] });
    expect((await logbook.get('/user', withCookie('SESSION=forged'))).status).toBe(404);
  });

  test('a cookie of the same name from an Olog server on this host changes nothing', async () => {
    const own = cookieOf(await login('user', 'userPass'));
    const other =
      'SESSION=9f0c6f0e-5b1c-4d4e-9a51-0f6f3ce6e2a1; SESSION=OWYwYzZmMGUtNWIxYy00ZDRlLTlhNTEtMGY2ZjNjZTZlMmEx';
    for (const cookie of [`${other}; ${own}`, `${own}; ${other}`, `${other}; a=SESSION=x; ${own}`]) {
      expect((await logbook.get('/user', withCookie(cookie))).body).toMatchObject({ userName: 'user' });
    }
    expect((await logbook.get('/user', withCookie(other))).status).toBe(404);
    expect((await logbook.get('/logout', withCookie(`${other}; ${own}`))).status).toBe(200);
    expect((await logbook.get('/user', withCookie(own))).status).toBe(404);
  });

  test('403 auth.origin-not-allowed: a page of another site writes nothing with its visitor’s session', async () => {
    const cookie = cookieOf(await login('user', 'userPass'));
    const site = logbook.origin;
    const send = (origin: string) =>
      call(`${site}/logbook/logs`, { method: 'PUT', json: entry, as: null, headers: { cookie, origin } });
    const before = (await logbook.search('size=0')).hitCount;
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3001']) {
      expect(await send(origin)).toMatchObject({ status: 403, body: { code: 'auth.origin-not-allowed' } });
    }
    expect((await logbook.search('size=0')).hitCount).toBe(before);
    for (const origin of [site, 'http://localhost:3000']) expect((await send(origin)).status).toBe(200);
  });

  test('over TLS the cookie is Secure', async () => {
    const cookie = await new Promise<string | undefined>((resolve, reject) => {
      const call = request(
        `${logbook.service.addresses.https}/logbook/login`,
        { method: 'POST', rejectUnauthorized: false, headers: { 'content-type': 'application/json' } },
        (response) => {
          resolve(response.headers['set-cookie']?.[0]);
          response.resume();
        },
      );
      call.on('error', reject);
      call.end(JSON.stringify({ username: 'user', password: 'userPass' }));
    });
    expect(cookie).toMatch(/Secure/);
  });
});

test('a session survives a restart', async () => {
  const first = await TestService.start();
  const answer = await first.post('/login', { username: 'user', password: 'userPass' }, { as: null });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await first.stop({ keepData: true });
  const second = await TestService.start({}, first.dataDir);
  try {
    expect((await second.get('/user', { as: null, headers: { cookie } })).body).toEqual({
      userName: 'user',
      roles: ['USER'],
    });
  } finally {
    await second.stop();
  }
});

test('a setting requires sign-in for reading too; the pages and the login stay open', async () => {
  const logbook = await TestService.start({ requireSignInForReads: 'true' });
  try {
    for (const path of [
      '',
      '/logs',
      '/logs/search',
      '/logs/1',
      '/logs/rss',
      '/tags',
      '/configuration',
      '/templates',
      '/attachment/x',
    ]) {
      expect((await logbook.get(path, { as: null })).status).toBe(401);
    }
    // However the address is spelled.
    for (const target of ['/%6Cogbook/logs', `${logbook.origin}/logbook/logs`, '/logbook/logs/', '/logbook/%6Cogs']) {
      expect((await sendRaw(logbook.origin, [rawRequest('GET', target, { authorization: '' })])).status).toBe(401);
    }
    expect((await logbook.get('/logs')).status).toBe(200);
    expect((await logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null })).status).toBe(200);
    for (const path of ['/', '/healthz', '/SearchHelp.html'])
      expect((await fetch(`${logbook.origin}${path}`)).status).toBe(200);
  } finally {
    await logbook.stop();
  }
});
