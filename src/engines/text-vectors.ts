import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TokenVectors, type WeightedTexts } from '../../packages/token-vectors/token-vectors.js';
import type { Entry } from '../entries/entry.js';
import { productDir } from '../kernel/product.js';

/** Maximum number of compared description characters. */
const describedChars = 4_000;

let loaded: TokenVectors | undefined;

/** Returns the token vectors, which each thread loads on first use. */
export const tokenVectors = (): TokenVectors =>
  (loaded ??= TokenVectors.read(readFileSync(join(productDir, 'assets', 'meaning', 'token-vectors.bin'))));

export function comparedTexts({ title, description }: Pick<Entry, 'title' | 'description'>): WeightedTexts {
  return [
    [title, 2],
    [description.slice(0, describedChars), 1],
  ];
}

/** Returns the vector of an entry, computed without learned words. */
export const plainVectorOf = (entry: Entry): Int8Array<ArrayBuffer> => tokenVectors().embed(comparedTexts(entry));
