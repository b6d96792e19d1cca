import { expect, test } from 'vitest';
import { handOverOf, toHandOvers } from './hand-over.ts';

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

test('an entry whose times are unreadable is none', () => {
  expect(toHandOvers([entry(1, 'mia', { from: 'yesterday', to: 'today' })])).toEqual([]);
});

test('the latest shift comes first', () => {
  const later = { ...shift, startMs: 2_000_000, endMs: 3_000_000 };
  const found = toHandOvers([entry(1, 'a', valuesOf(shift)), entry(2, 'b', valuesOf(later))]);
  expect(found.map(({ entryId }) => entryId)).toEqual([2, 1]);
});
