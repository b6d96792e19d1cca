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
    // Few letters, so that many words are similar; some words exceed the longest prefix that is counted.
    const word = fc.oneof(
      { weight: 20, arbitrary: fc.stringMatching(/^[abé12]{1,9}$/) },
      { weight: 1, arbitrary: fc.integer({ min: 250, max: 256 }).map((length) => 'a'.repeat(length)) },
    );
    const query = fc.tuple(word, fc.constantFrom(1, 2));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 100 }), fc.array(query, { maxLength: 10 }), (added, queries) => {
        for (const name of added) {
          if (known.has(name)) continue;
          known.add(name);
          index.run("INSERT INTO term (kind, name, label) VALUES (?, ?, '')", kinds.word, name);
        }
        for (const [one, max] of queries) {
          const near = vocabulary.near(one, max).map(({ name }) => name);
          const expected = [...known].filter((name) => distance(name, one) <= max);
          expect({ one, max, near: near.sort() }).toEqual({ one, max, near: expected.sort() });
        }
      }),
      { numRuns: 200 },
    );
  } finally {
    index.close();
    await rm(dir, { recursive: true });
  }
});
