import { expect, test } from 'vitest';
import { handOverOf, openHandOvers, toHandOvers } from './hand-over.ts';

type Entry = Parameters<typeof toHandOvers>[0][number];
const shift = { name: 'Night', startMs: 1_000_000, endMs: 2_000_000 };

const entry = (id: number, owner: string, values: Readonly<Record<string, string>>): Entry => ({
  id,
  owner,
  createdDate: id * 1_000,
  title: `entry ${id}`,
  logbooks: [{ name: 'operations', owner: 'x', state: 'Active' }],
  properties: [
    {
      name: 'Hand-over',
      owner: null,
      state: 'Active',
      attributes: Object.entries(values).map(([name, value]) => ({ name, value, state: 'Active' as const })),
    },
  ] as unknown as Entry['properties'],
});
const valuesOf = (one: typeof shift) =>
  Object.fromEntries(handOverOf(one).attributes.map(({ name, value }) => [name, value]));

test('a hand-over is open until the first reply acknowledges it', () => {
  const written = entry(1, 'mia', valuesOf(shift));
  expect(toHandOvers([written])[0]).toMatchObject({
    entryId: 1,
    shift: 'Night',
    fromMs: 1_000_000,
    toMs: 2_000_000,
    author: 'mia',
    acknowledgement: undefined,
  });
  const second = entry(3, 'otto', { acknowledges: '1', acknowledgedBy: 'otto' });
  const first = entry(2, 'ana', { acknowledges: '1', acknowledgedBy: 'someone else' });
  // The owner, whom the service knows, and not what the property says.
  expect(toHandOvers([second, first, written])[0]?.acknowledgement).toEqual({ by: 'ana', atMs: 2_000 });
});

test('an entry whose times are unreadable is not a hand-over', () => {
  expect(toHandOvers([entry(1, 'mia', { from: 'yesterday', to: 'today' })])).toEqual([]);
});

test('the latest shift comes first', () => {
  const later = { ...shift, startMs: 2_000_000, endMs: 3_000_000 };
  const found = toHandOvers([entry(1, 'a', valuesOf(shift)), entry(2, 'b', valuesOf(later))]);
  expect(found.map(({ entryId }) => entryId)).toEqual([2, 1]);
});

test('hand-overs of the last shift and late ones of earlier shifts wait; forgotten ones do not', () => {
  const hour = 3_600_000;
  const shiftAt = (startMs: number) => valuesOf({ ...shift, startMs, endMs: startMs + 8 * hour });
  const at = (id: number, writtenMs: number, startMs: number) => ({
    ...entry(id, 'mia', shiftAt(startMs)),
    createdDate: writtenMs,
  });
  const written = [
    at(1, 8 * hour, 0),
    at(2, 16 * hour, 8 * hour),
    at(3, 16.5 * hour, 8 * hour),
    at(4, 17 * hour, 0),
    // This one is from a computer whose clock is ahead.
    at(5, 17 * hour, 900 * hour),
  ];
  const open = (nowMs: number, more: Entry[] = []) =>
    openHandOvers(toHandOvers([...written, ...more]), nowMs)
      .map(({ entryId }) => entryId)
      .sort();
  expect(open(18 * hour)).toEqual([2, 3, 4]);
  const taken = { ...entry(6, 'otto', { acknowledges: '2' }), createdDate: 17 * hour };
  expect(open(18 * hour, [taken])).toEqual([3, 4]);
  expect(open(48 * hour)).toEqual([]);
});
