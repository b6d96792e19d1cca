import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cosine, signatureBytes, signatureOf, TokenVectors } from './token-vectors.js';
import { vectorBytes } from './vector-table.js';
import { piecesOf, wordsIn } from './word-pieces.js';

const file = readFileSync(join(import.meta.dirname, '../../../assets/meaning/token-vectors.bin'));
const vectors = TokenVectors.read(file);
const likeness = (one: string, other: string) => cosine(vectors.embed([[one, 1]]), vectors.embed([[other, 1]]));

describe('vectors of texts', () => {
  test.each([
    ['water leak', 'dripping liquid', 'laser alignment'],
    ['the magnet is too hot', 'overheated coil', 'software licence expired'],
    ['power failure', 'electricity outage', 'sample robot'],
  ])('“%s” is closer to “%s” than to “%s”', (text, similar, other) => {
    expect(likeness(text, similar)).toBeGreaterThan(likeness(text, other) + 0.1);
  });

  test('the same text has the same vector, whatever its case and accents', () => {
    expect(vectors.embed([['Vacuum Café', 1]])).toEqual(vectors.embed([['vacuum cafe', 1]]));
    expect(likeness('vacuum leak', 'vacuum leak')).toBeCloseTo(1);
  });

  test('a text without words is similar to nothing', () => {
    const nothing = vectors.embed([['… -- !?', 1]]);
    expect(nothing).toEqual(new Int8Array(vectorBytes));
    expect(cosine(nothing, vectors.embed([['beam', 1]]))).toBe(0);
  });

  test('the signature has the sign of each component', () => {
    const vector = vectors.embed([['beam lost', 1]]);
    const signature = signatureOf(vector);
    expect(signature).toHaveLength(signatureBytes);
    for (const [at, value] of vector.entries()) {
      expect(((signature[at >> 3] as number) >> (at & 7)) & 1).toBe(value > 0 ? 1 : 0);
    }
  });

  test.each([
    ['another file', Buffer.from('something else, of some length')],
    ['a truncated file', file.subarray(0, 100_000)],
  ])('%s is refused', (_, content) => {
    expect(() => TokenVectors.read(content)).toThrow(/token vectors/);
  });
});

describe('word pieces', () => {
  const rows = new Map(['beam', 'line', '##line', '##s', 'b'].map((piece, row) => [piece, row]));

  test.each([
    ['beam', [0]],
    ['Beamlines', [0, 2, 3]],
    ['line, beam!', [1, 0]],
    ['beamx line', [1]],
    ['x'.repeat(1_000_000), []],
  ])('of %j', (text, expected) => {
    expect(wordsIn(text).flatMap((word) => piecesOf(word, rows))).toEqual(expected);
  });
});
