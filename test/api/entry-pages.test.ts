import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

/** Resolves to the response itself, not to what it redirects to. */
const open = (url: string, headers: Record<string, string>, method = 'GET') =>
  fetch(url, { method, headers, redirect: 'manual' });

/** The fetch of Node.js sends `Sec-Fetch-Mode: cors`, which browsers send only for scripts. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';

describe('GET /logs/{logId}', () => {
  let logbook: TestService;
  let id: number;
  beforeAll(async () => {
    logbook = await TestService.start({ requireSignInForReads: 'true' });
    ({ id } = await logbook.create());
  });
  afterAll(() => logbook.stop());

  test.each([browser, 'text/html', 'text/html, application/json;q=0.9'])(
    'a browser that sends Accept: %s is redirected to the page, signed in or not',
    async (accept) => {
      for (const base of [logbook.base, `${logbook.origin}/Olog`]) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await open(`${base}/logs/${id}`, { accept, 'if-none-match': '"1"' }, method);
          expect([answer.status, answer.headers.get('location')]).toEqual([302, `/entries/${id}`]);
          expect(answer.headers.get('vary')).toContain('Accept');
        }
      }
    },
  );

  test.each([
    { accept: '*/*' },
    { accept: 'application/json' },
    { accept: 'application/json, text/plain, */*' },
    { accept: 'application/json, text/html' },
    { accept: '' },
    { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'user-agent': 'Java/17.0.2' },
    { accept: browser, 'user-agent': 'Mozilla/5.0' },
  ])('a program that sends %j gets JSON', async (headers) => {
    const authorization = `Basic ${Buffer.from('user:userPass').toString('base64')}`;
    const answer = await open(`${logbook.base}/logs/${id}`, { ...headers, authorization });
    expect([answer.status, ((await answer.json()) as { id: number }).id]).toEqual([200, id]);
    expect(answer.headers.get('vary')).toMatch(/^Accept, /);
  });

  test('addresses that no entry has, and other addresses, are not redirected', async () => {
    for (const path of ['/logs/nothing', '/logs/search', '/logs', `/logs/archived/${id}`]) {
      expect((await open(`${logbook.base}${path}`, { accept: browser })).status, path).toBe(401);
    }
  });
});
