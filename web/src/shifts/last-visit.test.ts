import { expect, test } from 'vitest';
import { beginVisit, parseVisit, withOpened } from './last-visit.ts';

const hour = 3_600_000;

test('at the first visit nothing is unread', () => {
  expect(beginVisit(undefined, 5 * hour).readUpToMs).toBeUndefined();
});

test('after a pause, what was there at the end of the last visit is read', () => {
  const last = { readUpToMs: hour, seenMs: 2 * hour, openedIds: [7] };
  expect(beginVisit(last, 10 * hour)).toEqual({ readUpToMs: 2 * hour, seenMs: 10 * hour, openedIds: [] });
});

test('a reload continues the same visit', () => {
  const last = { readUpToMs: hour, seenMs: 2 * hour, openedIds: [7] };
  expect(beginVisit(last, 2 * hour + 60_000)).toEqual({ ...last, seenMs: 2 * hour + 60_000 });
});

test('opened entries are remembered once, and only a limited number of them', () => {
  const visit = { readUpToMs: 1, seenMs: 1, openedIds: [] };
  expect(withOpened(withOpened(visit, 7), 7).openedIds).toEqual([7]);
  let many: ReturnType<typeof withOpened> = visit;
  for (let id = 0; id < 600; id += 1) many = withOpened(many, id);
  expect(many.openedIds.length).toBe(500);
  expect(many.openedIds.at(-1)).toBe(599);
});

test.each([undefined, null, 'x', {}, { seenMs: 'now' }])('%j is not a visit', (value) => {
  expect(parseVisit(value)).toBeUndefined();
});
