import { expect, test } from 'vitest';
import { parseWhen, whenText } from './parse-when.ts';

const now = new Date(2026, 10, 17, 3, 50).getTime();

test.each([
  ['03:47', '2026-11-17 03:47:00'],
  ['3:47:51', '2026-11-17 03:47:51'],
  ['23:10', '2026-11-16 23:10:00'],
  ['2026-11-01 08:15', '2026-11-01 08:15:00'],
  ['2026-11-01T08:15:59', '2026-11-01 08:15:59'],
  [' 2025-2-28 ', '2025-02-28 00:00:00'],
])('%j is %s', (text, expected) => {
  const ms = parseWhen(text, now);
  expect(ms === undefined ? undefined : whenText(ms)).toBe(expected);
});

test.each(['', 'yesterday', '25:00', '03:60', '2026-02-30', '2026-13-01', '3'])('%j is not a time', (text) => {
  expect(parseWhen(text, now)).toBeUndefined();
});
