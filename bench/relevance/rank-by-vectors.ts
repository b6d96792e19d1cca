import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cosine, TokenVectors } from '../../packages/token-vectors/token-vectors.js';
import { WordLearner } from '../../packages/token-vectors/word-learner.js';
import { productDir } from '../../src/kernel/product.js';

/**
 * Returns a ranking by meaning alone.
 * @param learnedFrom texts from which words are learned
 */
export function rankByVectors(entries: readonly string[], learnedFrom: readonly string[]): (text: string) => number[] {
  const distilled = TokenVectors.read(readFileSync(join(productDir, 'assets', 'meaning', 'token-vectors.bin')));
  const learner = new WordLearner(distilled);
  for (const text of learnedFrom) learner.add(text);
  const vectors = distilled.with(learner.learn());
  const all = entries.map((entry) => vectors.embed([[entry, 1]]));
  return (text) => {
    const wanted = vectors.embed([[text, 1]]);
    return all
      .map((vector, number) => ({ number, score: cosine(vector, wanted) }))
      .sort((one, other) => other.score - one.score || one.number - other.number)
      .map(({ number }) => number);
  };
}
