import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../fixtures/browser.js';
import { OidcLogbook } from '../fixtures/oidc-logbook.js';
import { rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { call, entryForm, TestService } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';

const newEntry = { title: 'An entry', logbooks: [{ name: 'operations' }] };

describe('the API below /Olog, as existing clients call it', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({ corsOrigins: 'https://client.example.org' });
    await logbook.create({ title: 'Magnet trip' });
  });
  afterAll(async () => {
    await logbook.stop();
  });

  /** Base URLs that clients are configured with, with `/Olog` appended by some of them. */
  const prefixes = ['/Olog', '/logbook/Olog', '/Olog/Olog', '//Olog', '/logbook//Olog'];

  test.each(prefixes)('%s answers like the root path', async (prefix) => {
    for (const path of [
      '',
      '/',
      '/logs/1',
      '/logs/1/',
      '/logs/search?title=trip',
      '/configuration',
      '/SearchHelp_en.html',
    ]) {
      const [direct, aliased] = [await logbook.get(path), await call(`${logbook.origin}${prefix}${path}`)];
      expect(aliased.status, path).toBe(200);
      expect(aliased.text).toBe(direct.text);
    }
  });

  test.each(prefixes)('%s stores entries, and names itself in errors', async (prefix) => {
    const base = `${logbook.origin}${prefix}`;
    const options = { method: 'PUT', as: 'user:userPass' };
    const created = await call(`${base}/logs`, { ...options, json: newEntry });
    const withFile = { ...newEntry, attachments: [{ id: `file-of-${created.body.id}`, filename: 'a.txt' }] };
    const form = entryForm(withFile, [{ name: 'a.txt', content: 'x' }]);
    const attached = await call(`${base}/logs/multipart`, { ...options, body: form });
    expect([created.status, attached.status]).toEqual([200, 200]);
    expect((await logbook.get(`/attachment/file-of-${created.body.id}`)).text).toBe('x');
    for (const [path, status] of [
      ['/logs/999999', 404],
      ['/nothing', 404],
      ['/logs/search?start=nonsense', 400],
      ['/logs/%zz', 400],
    ] as const) {
      const { body } = await call(`${base}${path}`);
      expect(body).toMatchObject({ status, path: `${prefix}${path.split('?')[0]}` });
    }
    const refused = await call(`${base}/logs/group`, { method: 'DELETE', as: 'user:userPass' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  test.each(['/Ologs', '/olog', '/Olog/logbook', '/entries/Olog/logs', '/x/Olog'])('404: %s', async (path) => {
    const answer = await call(`${logbook.origin}${path}`, { headers: { accept: 'application/json' } });
    expect(answer.status === 404 || answer.text.startsWith('<!doctype html>'), answer.text).toBe(true);
  });

  test('a base URL that ends with a slash', async () => {
    expect((await call(`${logbook.base}//logs//1`)).body.id).toBe(1);
    expect((await call(`${logbook.origin}/logbook/`)).body.name).toBe('Logbook Service');
  });

  test('the absolute form of a URL, and an upgrade to HTTP/2 that is not made', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAAAAIAAAAA' };
    for (const url of ['/Olog/logs/1', `${logbook.origin}/Olog/logs/1`]) {
      const answer = await sendRaw(logbook.origin, [rawRequest('GET', url, headers)]);
      expect([answer.status, JSON.parse(answer.text).id]).toEqual([200, 1]);
    }
  });

  test.each(['', '/Olog'])('links in a feed begin with the path of the request: /logbook%s', async (alias) => {
    const { text } = await call(`${logbook.base}${alias}/logs/rss?title=trip`);
    const urls = [...text.matchAll(/http:\/\/[^<"]+\/(?:Olog|logbook)[^<"]*/g)].map(([url]) => url);
    expect(urls.length).toBeGreaterThan(1);
    expect(urls.join()).toContain(`${alias}/logs`);
    for (const url of urls) expect(`${url}/`.startsWith(`${logbook.base}${alias}/`), url).toBe(true);
  });

  test('a session that was opened below one path is valid below the other, and ends below either', async () => {
    const signIn = await call(`${logbook.origin}/Olog/login`, {
      method: 'POST',
      json: { username: 'user', password: 'userPass' },
      as: null,
    });
    const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const as = { as: null, headers: { cookie } };
    expect((await logbook.get('/user', as)).body.userName).toBe('user');
    expect((await logbook.get('/logout', as)).status).toBe(200);
    expect((await call(`${logbook.origin}/Olog/user`, as)).status).toBe(404);
  });

  test('a key names one write below both paths', async () => {
    const headers = { 'idempotency-key': 'one-tag' };
    const put = (base: string) =>
      call(`${base}/tags/once`, { method: 'PUT', json: { name: 'once' }, headers, as: 'admin:adminPass' });
    const [first, again] = [await put(logbook.base), await put(`${logbook.origin}/Olog`)];
    expect([first.status, again.text]).toEqual([200, first.text]);
  });

  test('live notifications: the topic is the path of the socket with /messages', async () => {
    const client = await StompClient.subscribe(`${logbook.origin}/Olog`);
    await logbook.create();
    const message = await client.next('MESSAGE');
    expect(message.headers.destination).toBe('/Olog/web-socket/messages');
    client.socket.terminate();
  });

  test('pages of allowed origins may call it', async () => {
    const origin = 'https://client.example.org';
    const headers = {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-olog-client-info',
    };
    const answer = await call(`${logbook.origin}/Olog/logs`, { method: 'OPTIONS', headers, as: null });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    const other = { origin: 'https://other.example.org' };
    const refused = await call(`${logbook.origin}/Olog/logs`, { method: 'PUT', json: newEntry, headers: other });
    expect(refused).toMatchObject({ status: 403, body: { code: 'auth.origin-not-allowed' } });
  });

  test('metrics and the API description know only the root path', async () => {
    for (const path of ['/metrics', '/openapi.json']) {
      const { text } = await call(`${logbook.origin}${path}`);
      expect(text).toContain('/logbook/logs/');
      expect(text).not.toMatch(/["/]Olog/);
    }
  });
});

test('sign-in for reads is required below an alias too, and the audit names the route', async () => {
  const logbook = await TestService.start({ requireSignInForReads: 'true' });
  try {
    for (const prefix of ['/logbook', '/Olog', '/logbook/Olog', '//Olog']) {
      const answer = await call(`${logbook.origin}${prefix}/logs`, { as: null });
      expect([prefix, answer.status]).toEqual([prefix, 401]);
    }
    await call(`${logbook.origin}/Olog/tags/new`, { method: 'PUT', json: { name: 'new' }, as: 'admin:adminPass' });
    const { body } = await logbook.get('/audit', { as: 'admin:adminPass' });
    expect(JSON.stringify(body)).toContain('"PUT /tags/:tagName"');
  } finally {
    await logbook.stop();
  }
});

test('a sign-in at the provider goes through the root path, whose callback the provider knows', async () => {
  const deployment = await OidcLogbook.start();
  const { logbook } = deployment;
  try {
    const browser = new Browser();
    const answer = await browser.open(`${logbook.origin}/Olog/login/oidc?returnTo=/entries/7`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/logbook/login/oidc?returnTo=/entries/7']);
    expect((await deployment.signIn(browser)).status).toBe(303);
    expect((await browser.open(`${logbook.origin}/Olog/user`)).body.userName).toBe('ada');
  } finally {
    await deployment.stop();
  }
});

test.each([
  ['', '/logbook', [200, 404]],
  ['/Olog', '/Olog', [404, 200]],
  ['/Olog, /elog', '/log', [404, 200]],
])('rootPathAliases=%s with rootPath=%s', async (rootPathAliases, rootPath, statuses) => {
  const logbook = await TestService.start({ rootPathAliases, rootPath });
  try {
    const found = ['/logbook', '/Olog'].map(async (path) => (await call(`${logbook.origin}${path}/logs`)).status);
    expect(await Promise.all(found)).toEqual(statuses);
    expect((await call(`${logbook.origin}${rootPath}/logs`)).status).toBe(200);
  } finally {
    await logbook.stop();
  }
});

test('an alias that would hide a path of the API is refused at the start', async () => {
  await expect(TestService.start({ rootPathAliases: '/logs' })).rejects.toThrow(/rootPathAliases: \/logbook\/logs/);
});
