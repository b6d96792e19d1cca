import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { openIndexForWriting } from '../index/index-database.js';
import { kinds } from '../index/terms.js';
import { Vocabulary } from './vocabulary.js';

test('near are the words that a table of distances says are, whenever they came', async () => {
  const dir = await makeTempDir();
  const index = await openIndexForWriting(join(dir, 'search.sqlite'));
  try {
    const vocabulary = new Vocabulary(index);
    const known = new Set<string>();
    // Few letters, so that many are near; some longer than what is counted of a shared beginning.
    const word = fc.oneof(
      { weight: 20, arbitrary: fc.stringMatching(/^[abé12]{1,9}$/) },
      { weight: 1, arbitrary: fc.integer({ min: 250, max: 256 }).map((length) => 'a'.repeat(length)) },
    );
    const asked = fc.tuple(word, fc.constantFrom(1, 2));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 100 }), fc.array(asked, { maxLength: 10 }), (added, questions) => {
        for (const name of added) {
          if (known.has(name)) continue;
          known.add(name);
          index.run("INSERT INTO term (kind, name, label) VALUES (?, ?, '')", kinds.word, name);
        }
        for (const [one, max] of questions) {
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
