import { expect, test } from 'vitest';
import { dataBrowserRange } from './data-browser-range.ts';

const aroundMs = 1_764_104_400_000;
const ago = (ms: number) => String(aroundMs - ms);

test.each([
  ['2026-01-13 00:00:00.000', '2026-02-17 12:17:56.083', ['2026-01-13 00:00:00.000', '2026-02-17 12:17:56.083']],
  ['2010/01/22 12:30:54.123456789', '2010/01/22 13:30', ['2010-01-22 12:30:54.123456789', '2010-01-22 13:30']],
  ['-30 min', 'now', [ago(1_800_000), ago(0)]],
  ['-35.00 sec', 'now', [ago(35_000), ago(0)]],
  ['-1 days 2 hours', '-1 hour', [ago(97_200_000), ago(3_600_000)]],
  ['2026-01-13 00:00', 'now', ['2026-01-13 00:00', ago(0)]],
])('%s to %s', (start, end, [from, to]) => {
  expect(dataBrowserRange(start, end, aroundMs)).toEqual({ start: from, end: to });
});

test.each([
  ['', ''],
  ['-1 hour', '2026-02-17 12:17'],
  ['yesterday', 'now'],
  ['-1 parsec', 'now'],
  ['-999999999999 y', 'now'],
])('%j to %j is not a range', (start, end) => {
  expect(dataBrowserRange(start, end, aroundMs)).toBeUndefined();
});
