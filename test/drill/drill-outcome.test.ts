import { expect, test } from 'vitest';
import { compare, type StoredEntry } from './drill-outcome.js';
import { DrillRecord, type FollowedChange, FollowedChanges } from './drill-record.js';

/** Two entries, of which one was edited twice. */
function acknowledged(): DrillRecord {
  const record = new DrillRecord();
  record.create(1, 'first');
  record.edit(1, 'second');
  record.create(2, 'other');
  record.edit(1, 'third');
  return record;
}
const stored = (id: number, title: string, edits: number): [number, StoredEntry] => [
  id,
  { id, edits, document: JSON.stringify({ title }) },
];
const whole = [stored(1, 'third', 2), stored(2, 'other', 0)];

test.each([
  ['nothing wrong', whole, { lost: 0, twice: 0 }],
  ['a lost entry', whole.slice(0, 1), { lost: 1, twice: 0 }],
  ['a lost last edit', [stored(1, 'second', 1), whole[1]], { lost: 2, twice: 0 }],
  ['a lost edit before the last one', [stored(1, 'third', 1), whole[1]], { lost: 1, twice: 0 }],
  ['an edit stored twice', [stored(1, 'third', 3), whole[1]], { lost: 0, twice: 1 }],
  ['an entry that no client has created', [...whole, stored(3, 'first', 0)], { lost: 0, twice: 1 }],
])('a drill notices in what is stored: %s', (_what, entries, expected) => {
  expect(compare(new Map(entries as typeof whole), acknowledged())).toEqual(expected);
});

const change = (sequence: number, kind: string, entryId: number, version: number): FollowedChange => ({
  ...{ sequence, kind, entryId, version },
});
const heard = [
  change(10, 'created', 1, 1),
  change(12, 'edited', 1, 2),
  change(13, 'created', 2, 1),
  change(14, 'annotated', 2, 1),
  change(20, 'edited', 1, 3),
];
const without = (at: number) => heard.filter((_one, index) => index !== at);

test.each([
  ['nothing wrong', heard, { missing: 0, twice: 0, outOfOrder: 0 }],
  ['a lost event', without(1), { missing: 1, twice: 0, outOfOrder: 0 }],
  ['a lost event of an annotated entry', without(2), { missing: 1, twice: 0, outOfOrder: 0 }],
  ['an event received twice', [...heard, change(20, 'edited', 1, 3)], { missing: 0, twice: 1, outOfOrder: 0 }],
  ['a version at two positions', [...heard, change(21, 'edited', 1, 3)], { missing: 0, twice: 1, outOfOrder: 0 }],
  ['events out of order', [heard[1], heard[0], ...heard.slice(2)], { missing: 0, twice: 0, outOfOrder: 1 }],
])('a drill notices in what a receiver received: %s', (_what, changes, expected) => {
  const followed = new FollowedChanges();
  followed.received.push(...(changes as FollowedChange[]));
  const { twice, outOfOrder } = followed;
  expect({ missing: followed.missing(acknowledged()), twice, outOfOrder }).toEqual(expected);
});

test('a drill notices an id that two entries were given', () => {
  const record = acknowledged();
  record.create(2, 'again');
  expect(record.repeatedIds).toBe(1);
});
