import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cosine, TokenVectors } from '../../packages/token-vectors/token-vectors.js';
import { productDir } from '../../src/kernel/product.js';

/** Returns a ranking by meaning alone. */
export function rankByVectors(entries: readonly string[]): (text: string) => number[] {
  const vectors = new TokenVectors(readFileSync(join(productDir, 'assets', 'meaning', 'token-vectors.bin')));
  const all = entries.map((entry) => vectors.embed([[entry, 1]]));
  return (text) => {
    const wanted = vectors.embed([[text, 1]]);
    return all
      .map((vector, number) => ({ number, score: cosine(vector, wanted) }))
      .sort((one, other) => other.score - one.score || one.number - other.number)
      .map(({ number }) => number);
  };
}
