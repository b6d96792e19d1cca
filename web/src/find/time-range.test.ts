import { expect, test } from 'vitest';
import { rangeLabel, readRange, withQuotedTimes, withReadTimes } from './time-range.ts';

const nowMs = new Date(2026, 10, 17, 15, 0).getTime();
const texts = { from: (time: string) => `from ${time}`, until: (time: string) => `until ${time}` };

test.each([
  [{ start: '3 days' }, '3 days'],
  [{ start: '2026-03-01', end: '2026-03-07' }, '1–7 Mar'],
  [{ start: '2026-03-01' }, 'from 1 Mar'],
  [{ end: '2025-03-01' }, 'until 1 Mar 2025'],
  [{ start: '2026-03-01 06:00', end: '2026-03-01 14:00' }, '1 Mar, 06:00–14:00'],
  [{ start: 'nonsense' }, 'nonsense'],
  [{ start: '2 weeks', end: '1 week' }, '2 weeks – 1 week'],
  [{ start: '1000 hours' }, '1000 hours'],
  [{ end: '999999999 years' }, '999999999 years'],
])('%j is %s', (written, label) => {
  expect(rangeLabel(written, nowMs, 'en-GB', texts)).toBe(label);
});

test('a range that the service would refuse is found before', () => {
  expect(readRange({ start: '1 Marhc' }, nowMs, 'en')).toEqual({ kind: 'unread', end: 'start', text: '1 Marhc' });
  expect(readRange({ start: '2 March', end: '1 March' }, nowMs, 'en')).toEqual({ kind: 'reversed', end: 'end' });
  expect(readRange({ start: '1 March', end: '1 March' }, nowMs, 'en')).not.toHaveProperty('kind');
});

test('the times of a search are written as the service takes them', () => {
  expect(withReadTimes('start="1 March" beam end="7 March 9:00"', nowMs, 'en')).toEqual({
    query: 'start=2026-03-01 beam end="2026-03-07 09:00"',
  });
  expect(withReadTimes('beam', nowMs, 'en')).toEqual({ query: 'beam' });
  expect(withReadTimes('start="3 days" start="1 March"', nowMs, 'en')).toEqual({
    query: 'start="3 days" start=2026-03-01',
  });
  expect(withReadTimes('start="2 March" start="4 March" end="3 March"', nowMs, 'en')).toHaveProperty('query');
  expect(withReadTimes('start="3 days" start=soon', nowMs, 'en')).toMatchObject({ kind: 'unread', text: 'soon' });
  expect(withReadTimes('start=soon', nowMs, 'en')).toEqual({ kind: 'unread', end: 'start', text: 'soon' });
});

test.each<readonly [string, string]>([
  ['start=1 March beam', 'start="1 March" beam'],
  ['pump start=2026-03-01 14:30 end=2 weeks 3 d -beam', 'pump start="2026-03-01 14:30" end="2 weeks 3 d" -beam'],
  ['start=1 March end=7 March 9:00 is:done', 'start="1 March" end="7 March 9:00" is:done'],
  ['start= 1 March', 'start="1 March"'],
  ...['start="1 March" 14:30', 'start=yesterday beam', 'start=1 Marhc', 'owner=1 March', '"start=1 March"'].map(
    (text) => [text, text] as const,
  ),
])('the times of %s are read as in %s', (text, expected) => {
  expect(withQuotedTimes(text, nowMs, 'en')).toBe(expected);
});
