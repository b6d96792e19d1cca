import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { kinds } from '../../../search-terms.js';
import { openIndexForWriting } from '../index/index-database.js';
import { type AllWords, Vocabulary, type WordStore } from './vocabulary.js';

/** Store of words that several readers share; counts how often all words were read. */
class TestStore implements WordStore {
  reads = 0;
  private newest: AllWords | undefined;

  renew(known: AllWords | undefined, read: (onProgress: () => void) => AllWords): AllWords {
    if (this.newest && this.newest.newestId > (known?.newestId ?? -1)) return this.newest;
    this.reads += 1;
    this.newest = read(() => undefined);
    return this.newest;
  }
}

test('similar words are those within the Levenshtein distance, whenever they were added', async () => {
  const dir = await makeTempDir();
  const index = await openIndexForWriting(join(dir, 'search.sqlite'));
  try {
    const store = new TestStore();
    const vocabulary = new Vocabulary(index, store);
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
    expect(store.reads).toBe(1);
    // Enough words that all are read again, in several batches; then a few.
    for (let at = 0; at < 40_000; at++) add(`b${at.toString(5)}a`);
    const others = [new Vocabulary(index), new Vocabulary(index, store)];
    expect(others[1]?.near('b1234a', 1).map(({ name }) => name)).toContain('b1234a');
    for (const name of ['b1234ab', 'éabb', `${'a'.repeat(254)}b`]) add(name);
    for (const reader of [vocabulary, ...others]) {
      for (const one of ['b1234a', 'éab', 'a'.repeat(254)]) {
        const near = reader.near(one, 2);
        for (const { id, name } of near) expect(index.get('SELECT name FROM term WHERE id = ?', id)).toEqual({ name });
        const expected = [...known].filter((name) => distance(name, one) <= 2);
        expect(expected).not.toEqual([]);
        expect(near.map(({ name }) => name).sort()).toEqual(expected.sort());
      }
    }
    expect(store.reads).toBe(2);
    // Each word is found once.
    const all = vocabulary.near('b1234a', 254).map(({ name }) => name);
    expect(all.sort()).toEqual([...known].filter((name) => distance(name, 'b1234a') <= 254).sort());
  } finally {
    index.close();
    await rm(dir, { recursive: true });
  }
});
