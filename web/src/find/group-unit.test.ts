import { expect, test } from 'vitest';
import { groupStart, groupUnit } from './group-unit.ts';

const nowMs = new Date(2026, 10, 17, 15, 0).getTime();
const ago = (...days: number[]) => days.map((day) => ({ createdDate: nowMs - day * 86_400_000 }));

test.each([
  [ago(0, 12, 40, 41, 90), 'month'],
  [ago(0, 200, 400), 'month'],
  [ago(0, 0, 0, 3, 3, 400), 'day'],
  [ago(0, 4, 9, 20), 'day'],
  [ago(0, 400), 'day'],
  [undefined, 'day'],
])('%j are grouped by %s', (hits, unit) => {
  expect(groupUnit(hits)).toBe(unit);
});

test('a group begins with its first moment', () => {
  expect(groupStart(nowMs, 'day')).toBe(new Date(2026, 10, 17).getTime());
  expect(groupStart(nowMs, 'month')).toBe(new Date(2026, 10, 1).getTime());
});
