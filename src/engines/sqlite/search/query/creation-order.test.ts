import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection, loadSqlite } from '../../database/connection.js';
import { lowsOf } from '../index/containers.js';
import { CreationOrder } from './creation-order.js';
import { entrySetFromIds } from './entry-set.js';

let documents: Connection;
beforeAll(async () => {
  const DatabaseSync = await loadSqlite();
  documents = new Connection(new DatabaseSync(':memory:'));
  documents.exec(`
    CREATE TABLE entry (id INTEGER PRIMARY KEY, created_ms INTEGER, in_order INTEGER);
    CREATE INDEX entry_created ON entry (created_ms, id) WHERE in_order = 1;
    CREATE TABLE backdated_entry (number INTEGER PRIMARY KEY, id INTEGER, created_ms INTEGER, place INTEGER);
  `);
});
afterAll(() => documents.close());

/** Stores entries with these dates, in the order of their ids. */
function store(datesMs: readonly number[], firstId = 1): void {
  documents.exec('DELETE FROM entry; DELETE FROM backdated_entry');
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const [at, ms] of datesMs.entries()) {
    const inOrder = ms >= newestMs;
    if (inOrder) newestMs = ms;
    const id = firstId + at;
    documents.run('INSERT INTO entry VALUES (?, ?, ?)', id, ms, inOrder ? 1 : 0);
    if (!inOrder) documents.run('INSERT INTO backdated_entry (id, created_ms, place) VALUES (?, ?, 0)', id, ms);
  }
}

function sorted(ids: readonly number[], datesMs: readonly number[], firstId = 1): number[] {
  const date = (id: number) => datesMs[id - firstId] as number;
  return [...ids].sort((one, other) => date(one) - date(other) || one - other);
}

const dates = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 60 }),
  // One date far in the future, and many later entries.
  fc
    .tuple(fc.nat(20), fc.integer({ min: 1, max: 60 }))
    .map(([before, after]) => [
      ...Array.from({ length: before }, (_, at) => at),
      4e12,
      ...Array.from({ length: after }, (_, at) => before + at),
    ]),
);

describe('the order of creation', () => {
  test('any page of any entries, newest or oldest first, is as if all were sorted', () => {
    fc.assert(
      fc.property(dates, fc.nat(4), fc.nat(70), fc.nat(70), (datesMs, modulus, from, size) => {
        store(datesMs, 65_520);
        const order = new CreationOrder(documents);
        order.refresh();
        const all = datesMs.map((_, at) => 65_520 + at);
        const ids = all.filter((id) => id % (modulus + 1) === 0);
        const oldest = sorted(ids, datesMs, 65_520);
        const set = entrySetFromIds(ids);
        expect(order.page(set, 'oldest', from, size)).toEqual(oldest.slice(from, from + size));
        expect(order.page(set, 'newest', from, size)).toEqual([...oldest].reverse().slice(from, from + size));
      }),
      { numRuns: 300 },
    );
  });

  test('the entries of a window are those created in it', () => {
    fc.assert(
      fc.property(dates, fc.nat(30), fc.nat(30), (datesMs, one, other) => {
        store(datesMs);
        const order = new CreationOrder(documents);
        order.refresh();
        const [startMs, endMs] = [Math.min(one, other), Math.max(one, other)];
        const found = [...lowsOf(order.createdIn(startMs, endMs)(0))].filter((id) => id >= 1 && id <= datesMs.length);
        const expected = datesMs.flatMap((ms, at) => (ms >= startMs && ms <= endMs ? [at + 1] : []));
        expect(found).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('entries stored after a refresh are in their place after the next', () => {
    store([5, 100, 6, 7]);
    const order = new CreationOrder(documents);
    order.refresh();
    expect(order.page(entrySetFromIds([1, 2, 3, 4]), 'newest', 0, 10)).toEqual([2, 4, 3, 1]);
    store([5, 100, 6, 7, 4, 8, 101]);
    order.refresh();
    expect(order.page(entrySetFromIds([1, 2, 3, 4, 5, 6, 7]), 'newest', 0, 10)).toEqual([7, 2, 6, 4, 3, 1, 5]);
  });

  test('after one entry in the future, a page reads as many dates as it has entries, however many follow', () => {
    store([1, 4e12, ...Array.from({ length: 5_000 }, (_, at) => 2 + at)]);
    const order = new CreationOrder(documents);
    order.refresh();
    const set = entrySetFromIds(Array.from({ length: 5_002 }, (_, at) => 1 + at));
    const read: string[] = [];
    const { all } = documents;
    documents.all = ((sql: string, ...values: string[]) => {
      const rows = all.call(documents, sql, ...values);
      read.push(...rows.map(() => sql));
      return rows;
    }) as typeof documents.all;
    try {
      order.refresh();
      expect(order.page(set, 'newest', 2_000, 5)).toEqual([3_003, 3_002, 3_001, 3_000, 2_999]);
    } finally {
      documents.all = all;
    }
    expect(read.length).toBeLessThan(20);
  });
});
