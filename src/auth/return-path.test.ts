import { expect, test } from 'vitest';
import { parseReturnPath } from './return-path.js';

test.each([
  ['/', '/'],
  ['/logbook/logs?text=a b&x=%2F#top', '/logbook/logs?text=a%20b&x=%2F#top'],
  ['/entries/7?next=https://other.example/', '/entries/7?next=https://other.example/'],
  ['/ä', '/%C3%A4'],
  ['/a/../b', '/b'],
  ['/%5Cevil.example', '/%5Cevil.example'],
  ['/@evil.example', '/@evil.example'],
])('%s is a path on this site', (text, path) => {
  expect(parseReturnPath(text)).toBe(path);
});

test.each([
  '',
  'logs',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/a\\..\\..\\\\evil.example',
  'https://evil.example',
  'https:/evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '@evil.example',
  '.evil.example',
  ' //evil.example',
  ' /logs',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\nset-cookie: a=b',
  '/\u0000/evil.example',
  '/\u0085/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
])('400 auth.bad-return-path: %j', (text) => {
  expect(() => parseReturnPath(text)).toThrow(
    expect.objectContaining({ kind: 'invalid', code: 'auth.bad-return-path' }),
  );
});
