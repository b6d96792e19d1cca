import { expect, test } from 'vitest';
import { selectExpired } from './retention.js';

const day = (text: string) => ({ name: text, takenMs: Date.parse(`${text}T02:30:00Z`) });
const names = (backups: readonly { name: string }[]) => backups.map(({ name }) => name).sort();

test('the newest backup of each day, week and month is kept, and no more than the configured number', () => {
  const backups = Array.from({ length: 100 }, (_, at) => {
    const takenMs = Date.parse('2026-01-01T02:30:00Z') + at * 86_400_000;
    return day(new Date(takenMs).toISOString().slice(0, 10));
  });
  const expired = new Set(selectExpired(backups, { newest: 1, daily: 3, weekly: 2, monthly: 3 }));
  // Friday, 10 April, and before; Sunday ends a week.
  expect(names(backups.filter((backup) => !expired.has(backup)))).toEqual([
    '2026-02-28',
    '2026-03-31',
    '2026-04-05',
    '2026-04-08',
    '2026-04-09',
    '2026-04-10',
  ]);
});

test('the newest backup is kept whatever is configured, even if it is old', () => {
  const backups = [day('2020-01-01'), day('2020-01-02')];
  expect(names(selectExpired(backups, { newest: 0, daily: 0, weekly: 0, monthly: 0 }))).toEqual(['2020-01-01']);
  expect(names(selectExpired(backups, { newest: 2, daily: 0, weekly: 0, monthly: 0 }))).toEqual([]);
});

test('of several backups of one day, the newest is kept', () => {
  const early = { name: 'early', takenMs: Date.parse('2026-01-01T02:00:00Z') };
  const late = { name: 'late', takenMs: Date.parse('2026-01-01T22:00:00Z') };
  const next = day('2026-01-02');
  expect(names(selectExpired([early, late, next], { newest: 1, daily: 7, weekly: 0, monthly: 0 }))).toEqual(['early']);
});

test('a backup of a clock that was ahead is not kept in place of those that were made after it', () => {
  const backups = [day('2037-01-01'), day('2026-01-01'), day('2026-01-02')];
  expect(names(selectExpired(backups, { newest: 2, daily: 0, weekly: 0, monthly: 0 }))).toEqual(['2037-01-01']);
});
