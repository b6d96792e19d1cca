import { expect, test } from 'vitest';
import { searchAt } from './moment.ts';

const at = (moment: string) => searchAt(moment, Date.UTC(2026, 2, 9), 'en-GB')?.query;

test.each([
  // On a Wednesday: clocks change on Sundays.
  ['2026-03-04T03:12', 'start="2026-03-04 02:42" end="2026-03-04 03:42"'],
  ['2026-03-04 03:12', 'start="2026-03-04 02:42" end="2026-03-04 03:42"'],
  ['2026-03-08', 'start=2026-03-08 end=2026-03-08'],
  ['2026-02-30', undefined],
  ['2026-03-08T25:00', undefined],
  ['nothing', undefined],
  [`2026-03-08T03:12${' '.repeat(100)}`, undefined],
])('%j is the search %j', (moment, query) => {
  expect(at(moment)).toBe(query);
});

test('an offset makes it the same moment for readers in every time zone', () => {
  const local = new Date(Date.UTC(2026, 2, 8, 2, 12));
  const two = (value: number) => String(value).padStart(2, '0');
  const start = new Date(local.getTime() - 30 * 60_000);
  expect(at('2026-03-08T03:12+01:00')).toContain(`${two(start.getHours())}:${two(start.getMinutes())}`);
});
