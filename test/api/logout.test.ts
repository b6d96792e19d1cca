import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
const partner = 'https://partner.example.org';
beforeAll(async () => {
  logbook = await TestService.start({ corsOrigins: partner });
});
afterAll(() => logbook.stop());

async function signIn(): Promise<string> {
  const answer = await logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null });
  return answer.headers.getSetCookie()[0]?.replace(/;.*/, '') ?? '';
}

const isSignedIn = async (cookie: string) =>
  (await logbook.get('/user', { as: null, headers: { cookie } })).status === 200;

type Headers = Readonly<Record<string, string>>;
const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const fetched = (site: string, mode: string, dest: string): Headers => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
});

describe('GET /logout', () => {
  test.each<[string, () => Headers]>([
    ['a program', () => ({})],
    ['the library of Python', () => ({ accept: '*/*', 'user-agent': 'python-requests/2.32' })],
    ['the library of Java', () => ({ accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' })],
    ['a script of the same origin', () => ({ accept: 'application/json', ...fetched('same-origin', 'cors', 'empty') })],
    ['a page of the same origin', () => ({ accept: page, ...fetched('same-origin', 'navigate', 'document') })],
    ['a page of the same origin over plain HTTP', () => ({ accept: page, referer: `${logbook.origin}/entries/1` })],
    ['a script with its own origin', () => ({ origin: logbook.origin })],
    ['a script of an allowed origin', () => ({ origin: partner, ...fetched('cross-site', 'cors', 'empty') })],
  ])('signs out: %s', async (_case, headers) => {
    const cookie = await signIn();
    const answer = await logbook.get('/logout', { as: null, headers: { cookie, ...headers() } });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  test.each<[string, Headers]>([
    ['a link on another site', { accept: page, ...fetched('cross-site', 'navigate', 'document') }],
    ['a link on a sibling site', { accept: page, ...fetched('same-site', 'navigate', 'document') }],
    ['a link in a mail', { accept: page, ...fetched('none', 'navigate', 'document') }],
    ['a frame of another site', { accept: page, ...fetched('cross-site', 'navigate', 'iframe') }],
    ['an image of another site', { accept: 'image/avif,*/*;q=0.8', ...fetched('cross-site', 'no-cors', 'image') }],
    ['an image in a page of the logbook', { accept: 'image/*', ...fetched('same-origin', 'no-cors', 'image') }],
    ['a frame in a page of the logbook', { accept: page, ...fetched('same-origin', 'navigate', 'iframe') }],
    ['a link over plain HTTP', { accept: page, referer: 'http://evil.example/', 'upgrade-insecure-requests': '1' }],
    ['a link that hides its page', { accept: page, 'upgrade-insecure-requests': '1' }],
    ['an image over plain HTTP', { accept: 'image/avif,image/webp,*/*;q=0.8' }],
    ['a broken referrer', { accept: page, referer: 'about:blank' }],
  ])('shows a page with a button, and does not sign out: %s', async (_case, headers) => {
    const cookie = await signIn();
    for (const path of ['/logout', '/logout/']) {
      const answer = await logbook.get(path, { as: null, headers: { cookie, ...headers } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(answer.text).toContain('<form method="post"><button>');
    }
    expect(await isSignedIn(cookie)).toBe(true);
  });

  test.each(['null', 'https://evil.example', 'http://localhost'])(
    '403 auth.origin-not-allowed for a script of %s',
    async (origin) => {
      const cookie = await signIn();
      const answer = await logbook.get('/logout', { as: null, headers: { cookie, origin } });
      expect(answer.body).toMatchObject({ status: 403, code: 'auth.origin-not-allowed' });
      expect(await isSignedIn(cookie)).toBe(true);
    },
  );
});

describe('POST /logout', () => {
  test('of the form of the page signs out, and returns to the logbook', async () => {
    const cookie = await signIn();
    const headers = { cookie, origin: logbook.origin, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${logbook.base}/logout`, { method: 'POST', headers, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  test('403 auth.origin-not-allowed from another site, as a form or as a script', async () => {
    const cookie = await signIn();
    for (const contentType of ['application/x-www-form-urlencoded', 'text/plain', 'application/json']) {
      const headers = { cookie, origin: 'https://evil.example', 'content-type': contentType };
      const answer = await logbook.call('/logout', { method: 'POST', as: null, headers });
      expect(answer.body).toMatchObject({ status: 403, code: 'auth.origin-not-allowed' });
    }
    expect(await isSignedIn(cookie)).toBe(true);
  });

  test('of a program without a body signs out, and answers with an empty body', async () => {
    const cookie = await signIn();
    const answer = await logbook.call('/logout', { method: 'POST', as: null, headers: { cookie } });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await isSignedIn(cookie)).toBe(false);
  });
});
