import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { kinds } from '../../../search-terms.js';
import { openIndexForWriting } from '../index/index-database.js';
import { Vocabulary } from './vocabulary.js';

test('similar words are those within the Levenshtein distance, whenever they were added', async () => {
  const dir = await makeTempDir();
  const index = await openIndexForWriting(join(dir, 'search.sqlite'));
  try {
    const vocabulary = new Vocabulary(index);
    const known = new Set<string>();
    const add = (name: string) => {
      if (known.has(name)) return;
      known.add(name);
      index.run("INSERT INTO term (kind, name, label) VALUES (?, ?, '')", kinds.word, name);
    };
    // Few letters, so that many words are similar; some words exceed the longest prefix that is counted.
    const word = fc.oneof(
      { weight: 20, arbitrary: fc.stringMatching(/^[abé12]{1,9}$/) },
      { weight: 1, arbitrary: fc.integer({ min: 250, max: 256 }).map((length) => 'a'.repeat(length)) },
    );
    const query = fc.tuple(word, fc.constantFrom(1, 2));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 100 }), fc.array(query, { maxLength: 10 }), (added, queries) => {
        added.forEach(add);
        for (const [one, max] of queries) {
          const near = vocabulary.near(one, max).map(({ name }) => name);
          const expected = [...known].filter((name) => distance(name, one) <= max);
          expect({ one, max, near: near.sort() }).toEqual({ one, max, near: expected.sort() });
        }
      }),
      { numRuns: 200 },
    );
    // So many at once that they are merged into the sorted ones; and all of them read at once, as at a start.
    for (let at = 0; at < 5_000; at++) add(`b${at.toString(5)}a`);
    for (const reader of [vocabulary, new Vocabulary(index)]) {
      for (const one of ['b1234a', 'éab', 'a'.repeat(254)]) {
        const near = reader.near(one, 2);
        for (const { id, name } of near) expect(index.get('SELECT name FROM term WHERE id = ?', id)).toEqual({ name });
        const expected = [...known].filter((name) => distance(name, one) <= 2);
        expect(expected).not.toEqual([]);
        expect(near.map(({ name }) => name).sort()).toEqual(expected.sort());
      }
    }
  } finally {
    index.close();
    await rm(dir, { recursive: true });
  }
});
