import { afterAll, beforeAll, expect, test, vi } from 'vitest';

let isScriptGone: () => Promise<boolean>;

beforeAll(async () => {
  vi.stubGlobal('builtClient', { version: 'a', files: [] });
  ({ isScriptGone } = await import('./shells.ts'));
});
afterAll(() => void vi.unstubAllGlobals());

const answer = (status: number, type: string) => new Response('', { status, headers: { 'content-type': type } });
const page = (status = 200) => answer(status, 'text/html; charset=utf-8');
const script = () => answer(200, 'text/javascript; charset=utf-8');
const signIn = () => Object.defineProperty(page(), 'redirected', { value: true });

test.each([
  ['it is served', script(), page(), false],
  ['an earlier version of the service', answer(404, 'application/json'), page(), true],
  ['a proxy that hides the script', page(410), page(), true],
  ['a proxy that does not find the service', page(404), page(404), false],
  ['a proxy that does not reach the service', page(502), page(502), false],
  ['a proxy that leads to its sign-in page', signIn(), signIn(), false],
  ['another program at the same address', page(), page(), true],
])('the script of the worker: %s', async (_, ofScript, ofPage, isGone) => {
  vi.stubGlobal('fetch', async (path: string) => (path === '/service-worker.js' ? ofScript : ofPage));
  expect(await isScriptGone()).toBe(isGone);
});
