import { expect, test } from 'vitest';
import { emptyContent, isSameContent } from './draft.ts';
import { timesOf, withTimes } from './draft-times.ts';

const first = { name: 'Beam lost', instant: 1 };
const second = { name: 'Beam back', instant: 2 };
const unreadable = { name: 'Alarm', text: 'about three' };

test('an unreadable time keeps its place, and is not among the events, which earlier clients read', () => {
  const times = [unreadable, first, { ...unreadable, name: 'Other' }, second, unreadable];
  const change = withTimes(times);
  expect(change.events).toEqual([first, second]);
  expect(timesOf({ ...emptyContent, ...change })).toEqual(times);
});

test('an empty time is not kept', () => {
  const change = withTimes([first, { name: 'Alarm', text: ' ' }]);
  expect(change).toEqual({ events: [first], unreadableTimes: undefined });
  expect(isSameContent({ ...emptyContent, ...change }, { ...emptyContent, events: [first] })).toBe(true);
});

test('a draft whose other times are gone shows those that are left', () => {
  expect(timesOf({ ...emptyContent, unreadableTimes: [{ ...unreadable, at: 4 }] })).toEqual([unreadable]);
});
