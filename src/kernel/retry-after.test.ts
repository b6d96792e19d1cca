import { expect, test } from 'vitest';
import { readRetryAfterMs } from './retry-after.js';

const nowMs = Date.parse('2026-03-08T03:12:00Z');

test.each([
  ['7', 7_000],
  ['Sun, 08 Mar 2026 03:12:30 GMT', 30_000],
  ['Sun, 08 Mar 2026 03:11:30 GMT', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('“Retry-After: %s” is a delay of %s ms', (text, delayMs) => {
  expect(readRetryAfterMs(text, nowMs)).toBe(delayMs);
});
