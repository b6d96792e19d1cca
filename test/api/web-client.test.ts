import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteRoutes } from '../../src/api/service/site.routes.js';
import { findWebClient } from '../../src/api/service/web-client.js';
import { parseRootPath } from '../../src/config/setting-parsers.js';
import { RequestMetrics } from '../../src/http/metrics.js';
import { productDir } from '../../src/kernel/product.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const dir = join(productDir, 'dist', 'web');

/** An address of each page of the router. */
const routed = Array.from(
  readFileSync(join(productDir, 'web', 'src', 'app', 'router.tsx'), 'utf8').matchAll(/ path: '([^']+)'/g),
  ([, path = '']) => path.replace(/\{?-?\$\w+\}?/g, '7'),
);

describe.skipIf(!existsSync(dir) && !process.env.CI)('the browser client', () => {
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start({ requireSignInForReads: 'true', rootPath: '/Olog' });
  });
  afterAll(async () => logbook.stop());

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${logbook.origin}${path}`, { headers });

  test.each([...routed, '/write', '/hand-over/2026-11-17'])(
    '%s is its page, for everybody, under a strict policy',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; style-src 'self'; /);
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
      expect(await response.text()).toContain('<meta name="root-path" content="/Olog">');
    },
  );

  test.each(routed.filter((path) => path !== '/'))('rootPath cannot be %s, which is a page', (path) => {
    expect(() => parseRootPath(path)).toThrow('the service uses this path for something else');
  });

  test.each(['', '/reply', '/edit', '/history'])(
    '/logs/7%s of the web client of Olog leads to the entry',
    async (rest) => {
      const response = await fetch(`${logbook.origin}/logs/7${rest}`, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([302, '/entries/7']);
      for (const path of ['/logs/x', `/logs/x${rest}`, '/logs/7/8']) expect((await get(path)).status).toBe(404);
    },
  );

  test('a page that the browser has is not sent again', async () => {
    const etag = (await get('/')).headers.get('etag') ?? '';
    const again = await get('/entries/1', { 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('its files are compressed once, and never expire', async () => {
    const [script = ''] = /\/assets\/base-[^"]+\.js/.exec(await (await get('/')).text()) ?? [];
    const response = await get(script, { 'accept-encoding': 'br' });
    expect(response.headers.get('content-encoding')).toBe('br');
    // Chromium sends Origin for some of its requests of a file: the cached copy must serve them all.
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await response.text()).length).toBeGreaterThan(100_000);
  });

  test('the service worker is checked with the service each time, and serves all pages', async () => {
    const response = await get('/service-worker.js?api=%2FOlog');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const [, build = '-'] = /<meta name="build" content="(\w{16})">/.exec(await (await get('/')).text()) ?? [];
    const script = await response.text();
    expect(script).toContain(build);
    for (const [name] of script.matchAll(/\/assets\/[\w.-]+/g)) expect((await get(name)).status).toBe(200);
  });

  test.each(['/nothing-here', '/assets/nothing.js', '/entries', '/Olog/nothing', '/healthz/more'])(
    '404 request.unknown-address: %s',
    async (path) => {
      const response = await fetch(`${logbook.origin}${path}`, {
        headers: { authorization: `Basic ${btoa('user:userPass')}` },
      });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'request.unknown-address' });
    },
  );

  test('addresses of the service do not lead to the client', async () => {
    for (const path of ['/healthz', '/swagger-ui/index.html', '/openapi.json', '/SearchHelp.html', '/metrics']) {
      const text = await (await get(path)).text();
      expect(text).not.toContain('root-path');
    }
  });
});

test('without a build, no client is found', async () => {
  expect(await findWebClient('/logbook', await makeTempDir())).toBeUndefined();
});

test('without the client, the link to the page of an entry leads to the entry', async () => {
  const app = fastify();
  try {
    const parts = { metrics: new RequestMetrics(), rootPath: '/logbook', webClientDir: join(dir, 'no-such') };
    await app.register(siteRoutes, parts);
    for (const id of [0, 7]) {
      const { statusCode, headers } = await app.inject(`/entries/${id}`);
      expect([statusCode, headers.location]).toEqual([302, `/logbook/logs/${id}`]);
    }
    for (const path of ['/entries/x', '/entries/-1', '/entries/7%2F..']) {
      expect((await app.inject(path)).statusCode).toBe(404);
    }
  } finally {
    await app.close();
  }
});
