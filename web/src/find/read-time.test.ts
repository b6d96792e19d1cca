import { describe, expect, test } from 'vitest';
import { readTime } from './read-time.ts';

const nowMs = new Date(2026, 10, 17, 15, 0).getTime();
const read = (text: string, isEnd = false) => readTime(text, { nowMs, isEnd, locale: 'de' });

describe('a time is understood', () => {
  test.each([
    ['1 March', '2026-03-01'],
    ['1. März 2025', '2025-03-01'],
    ['March 1st, 2024', '2024-03-01'],
    ['1 dec', '2025-12-01'],
    ['29 Feb', '2024-02-29'],
    ['17 nov 9:05', '2026-11-17 09:05'],
    ['3.2.2026', '2026-02-03'],
    ['3. 2.', '2026-02-03'],
    ['2026-3-1', '2026-03-01'],
    ['yesterday 14:30', '2026-11-16 14:30'],
    ['heute', '2026-11-17'],
    ['9:05', '09:05'],
    ['2 Wochen und 3 Tage', '2 weeks 3 days'],
  ])('%s is written as %s', (text, expected) => {
    expect(read(text)?.text).toBe(expected);
  });

  test.each([
    ...['2026', '20260301', '2026-03-01', '2026-03-01 06:00:30', '14:30', '2 weeks 3 d', 'now', '1772323200'],
    '1970-01-01T00:00:00Z',
  ])('%s stays', (text) => {
    expect(read(text)?.text).toBe(text);
  });
});

test.each([
  ['fr', '1er mars 2025', '2025-03-01'],
  ['fr', '3 août', '2026-08-03'],
  ['fr', '3/2/2026', '2026-02-03'],
  ['fr', 'aujourd’hui', '2026-11-17'],
  ['fr', "aujourd'hui", '2026-11-17'],
  ['fr', 'hier 14:30', '2026-11-16 14:30'],
  ['fr', '2 semaines et 3 jours', '2 weeks 3 days'],
  ['fr', '3 mois', '3 months'],
  ['fr', '1 an', '1 years'],
  ['it', '1 marzo', '2026-03-01'],
  ['it', 'ieri', '2026-11-16'],
  ['it', '2 settimane', '2 weeks'],
  ['it', '8 ore', '8 hours'],
  ['de', 'vor 2 Tagen', undefined],
  ['de', '2 Tagen', '2 days'],
  ['de', '5 Min.', '5 minutes'],
  ['en-US', '3/2/2026', undefined],
  ['en-GB', '3/2/2026', '2026-02-03'],
])('in %s, %s is written as %s', (locale, text, expected) => {
  expect(readTime(text, { nowMs, isEnd: false, locale })?.text).toBe(expected);
});

test.each([
  ...['1 Marhc', '31 Feb', '2026-02-30', '25:00', '5', '3 parsecs', '1.5 months', 'March', '', '30.2.', '1/2'],
  // Before the first date of the calendar.
  '999999999 years',
])('%j is not a time', (text) => {
  expect(read(text)).toBeUndefined();
});

test('an end includes the whole day or year', () => {
  expect(read('2026-03-01', true)?.ms).toBe(new Date(2026, 2, 2).getTime() - 1);
  expect(read('1 March', true)?.ms).toBe(new Date(2026, 2, 2).getTime() - 1);
  expect(read('2025', true)?.ms).toBe(new Date(2026, 0, 1).getTime() - 1);
  expect(read('2026-03-01 06:00', true)?.ms).toBe(new Date(2026, 2, 1, 6).getTime());
  expect(read('2026-03-01')?.ms).toBe(new Date(2026, 2, 1).getTime());
});
