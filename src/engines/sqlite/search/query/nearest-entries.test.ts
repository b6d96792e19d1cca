import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signatureBytes, signatureOf } from '../../../../../packages/token-vectors/token-vectors.js';
import { vectorBytes } from '../../../../../packages/token-vectors/vector-table.js';
import { Connection, loadSqlite } from '../../database/connection.js';
import { chunkSize } from '../index/containers.js';
import { EntryVectorWriter } from '../index/entry-vectors.js';
import { entrySetFromIds } from './entry-set.js';
import { nearestBySignature } from './nearest-entries.js';

const Database = await loadSqlite();
/** Ids of the entries, in two chunks. */
const firstId = chunkSize - 600;
const lastId = chunkSize + 500;

const vectors = fc.array(
  fc.int8Array({ minLength: vectorBytes, maxLength: vectorBytes }).map((components) => Int8Array.from(components)),
  { minLength: 1, maxLength: 6 },
);

test('the nearest entries of a set are those whose signatures differ least; among equals, those with lower ids', () => {
  fc.assert(
    fc.property(
      vectors,
      fc.integer({ min: 1, max: 20 }),
      fc.uniqueArray(fc.integer({ min: firstId, max: lastId }), { minLength: 1 }),
      (known, limit, ids) => {
        const index = indexOf((id) => known[id % known.length] as Int8Array<ArrayBuffer>);
        const [wanted] = known as [Int8Array];
        const different = (id: number) => differentBits(known[id % known.length] as Int8Array, wanted);
        const expected = ids
          .filter((id) => different(id) <= 60)
          .sort((one, other) => different(one) - different(other) || one - other)
          .slice(0, limit);
        const options = { limit, checkTime: () => undefined };
        expect(nearestBySignature(index, entrySetFromIds(ids), wanted, options)).toEqual(expected);
        index.db.close();
      },
    ),
    { numRuns: 30 },
  );
});

function indexOf(vectorOf: (id: number) => Int8Array<ArrayBuffer>): Connection {
  const index = new Connection(new Database(':memory:'));
  index.exec('CREATE TABLE signature_block (block INTEGER PRIMARY KEY, signatures BLOB NOT NULL)');
  index.exec('CREATE TABLE entry_vector (entry_id INTEGER PRIMARY KEY, vector BLOB NOT NULL)');
  const writer = new EntryVectorWriter(index);
  writer.begin();
  for (let id = firstId; id <= lastId; id++) writer.putVector(id, vectorOf(id));
  writer.write();
  return index;
}

function differentBits(one: Int8Array, other: Int8Array): number {
  const [a, b] = [signatureOf(one), signatureOf(other)];
  let count = 0;
  for (let at = 0; at < signatureBytes * 8; at++) {
    if ((((a[at >> 3] as number) ^ (b[at >> 3] as number)) >> (at & 7)) & 1) count += 1;
  }
  return count;
}
