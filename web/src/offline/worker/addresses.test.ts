import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientInfo, clientInfoHeader } from '../../api/client-info.ts';
import { entryIdOf, handlingOf, isPage } from './addresses.ts';

const origin = 'https://logbook.example.org';
const router = readFileSync(join(import.meta.dirname, '../../app/router.tsx'), 'utf8');
const routed = Array.from(router.matchAll(/ path: '([^']+)'/g), ([, path = '']) => path.replace(/\{?-?\$\w+\}?/g, '7'));

const handling = (
  path: string,
  { headers = {}, ...more }: Partial<RequestInit> & { readonly mode?: RequestMode } = {},
) =>
  handlingOf(
    { url: `${origin}${path}`, method: 'GET', mode: 'cors', cache: 'default', ...more, headers: new Headers(headers) },
    origin,
    '/Olog',
  );
const ofClient = { headers: { [clientInfoHeader]: clientInfo } };

test.each([...routed, '/write', '/administration', '/hand-over/2026-11-17'])('%s is a page', (path) => {
  expect(isPage(path)).toBe(true);
});

test.each(['/Olog', '/Olog/logs/7', '/swagger-ui/index.html', '/SearchHelp.html', '/openapi.json', '/entries', '/x'])(
  '%s is left to the browser',
  (path) => expect(handling(path, { mode: 'navigate' })).toBeUndefined(),
);

test.each(['/Olog/logs/search?query=x', '/Olog/logs/7', '/Olog/bootstrap', '/Olog/me', '/Olog/threads/a-b'])(
  '%s is kept for the client alone',
  (path) => {
    expect(handling(path, ofClient)).toBe('answer');
    expect(handling(path)).toBeUndefined();
    expect(handling(path, { ...ofClient, method: 'PUT' })).toBeUndefined();
    expect(handling(path, { ...ofClient, cache: 'no-store' })).toBeUndefined();
    expect(handling(path, { headers: { ...ofClient.headers, range: 'bytes=0-1' } })).toBeUndefined();
  },
);

test.each(['/Olog/drafts', '/Olog/logs/attachments/7/a.png', '/Olog/changes', '/Olog/tokens', '/Olog/audit', '/me'])(
  '%s is not kept',
  (path) => expect(handling(path, ofClient)).toBeUndefined(),
);

test.each(['/Olog/logout', '/other/logout', '/Olog/login/oidc/callback?code=1'])('%s ends what is kept', (path) => {
  for (const method of ['GET', 'POST']) expect(handling(path, { method })).toBe('session-end');
});

test('only the address of an entry names one', () => {
  expect(entryIdOf('/Olog/logs/17', '/Olog')).toBe(17);
  expect(entryIdOf('/Olog/logs/archived/17', '/Olog')).toBeUndefined();
});
