import { readVectorTable, type VectorTable, vectorBytes } from './vector-table.js';
import { piecesOf, wordsIn } from './word-pieces.js';

/** Number of bytes of the signature of a vector. */
export const signatureBytes = vectorBytes / 8;

/** Maximum number of word pieces used per vector. */
const maxPieces = 512;
/** Length of a fully reliable learned vector, compared with that of the pieces of its word. */
const learnedShare = 0.7;
/** Length assumed for a word without pieces. */
const unknownLength = 300;

/** Texts with their weights. */
export type WeightedTexts = readonly (readonly [text: string, weight: number])[];

/**
 * Vectors of word pieces, and of words learned from texts. The vector of a text is computed from them, and texts of
 * similar meaning have similar vectors.
 */
export class TokenVectors {
  private constructor(
    private readonly pieces: VectorTable,
    private readonly learned: VectorTable | undefined,
  ) {}

  /**
   * @param file content of a file of vectors, which must not change
   * @throws Error when it is not a file of vectors
   */
  static read(file: Uint8Array): TokenVectors {
    return new TokenVectors(readVectorTable(file), undefined);
  }

  /** Returns these vectors with the words that a `WordLearner` has learned with them. */
  with(learnedFile: Uint8Array): TokenVectors {
    return new TokenVectors(this.pieces, readVectorTable(learnedFile));
  }

  /** Returns the vector of a text; all zeros if it contains no known word. */
  embed(texts: WeightedTexts): Int8Array<ArrayBuffer> {
    return scaled(this.sum(texts));
  }

  /**
   * Returns how much a word contributes to the meaning of a text: little for words such as “the”; 0 for an unknown
   * word.
   */
  weightOf(word: string): number {
    return lengthOf(this.sum([[word, 1]]));
  }

  /** Returns the sum of the vectors of the words of these texts. */
  sum(texts: WeightedTexts): Float64Array {
    const sum = new Float64Array(vectorBytes);
    let left = maxPieces;
    for (const [text, weight] of texts) {
      for (const word of wordsIn(text)) {
        if (left <= 0) return sum;
        left -= Math.max(1, this.addWord(sum, word, weight));
      }
    }
    return sum;
  }

  /** Adds the vector of a word; returns the number of its pieces. */
  private addWord(sum: Float64Array, word: string, weight: number): number {
    const pieces = piecesOf(word, this.pieces.rows);
    const row = this.learned?.rows.get(word);
    if (row === undefined || !this.learned) {
      for (const piece of pieces) addRow(sum, this.pieces.vectors, piece, weight);
      return pieces.length;
    }
    const own = new Float64Array(vectorBytes);
    for (const piece of pieces) addRow(own, this.pieces.vectors, piece, 1);
    for (let i = 0; i < vectorBytes; i++) sum[i] = (sum[i] as number) + weight * (own[i] as number);
    const length = pieces.length === 0 ? unknownLength : lengthOf(own);
    addRow(sum, this.learned.vectors, row, (weight * learnedShare * length) / scaledLength);
    return pieces.length;
  }
}

function addRow(sum: Float64Array, vectors: Int8Array, row: number, weight: number): void {
  const at = row * vectorBytes;
  for (let i = 0; i < vectorBytes; i++) sum[i] = (sum[i] as number) + weight * (vectors[at + i] as number);
}

/** Length to which vectors are scaled, chosen so that few components are cut off at 127. */
const scaledLength = 400;

export function lengthOf(sum: Float64Array): number {
  let squares = 0;
  for (let i = 0; i < vectorBytes; i++) squares += (sum[i] as number) ** 2;
  return Math.sqrt(squares);
}

/** @param share length of the result, as a fraction of `scaledLength` */
export function scaled(sum: Float64Array, share = 1): Int8Array<ArrayBuffer> {
  const vector = new Int8Array(vectorBytes);
  const length = lengthOf(sum);
  if (length === 0) return vector;
  const factor = (share * scaledLength) / length;
  for (let i = 0; i < vectorBytes; i++) {
    vector[i] = Math.max(-127, Math.min(127, Math.round((sum[i] as number) * factor)));
  }
  return vector;
}

/** Returns the cosine of the angle between two vectors, 0 if one is all zeros. */
export function cosine(one: Int8Array, other: Int8Array): number {
  let [product, squares, otherSquares] = [0, 0, 0];
  for (let i = 0; i < vectorBytes; i++) {
    const [a, b] = [one[i] as number, other[i] as number];
    product += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return product === 0 ? 0 : product / Math.sqrt(squares * otherSquares);
}

/** Returns the signs of the components, one bit each. The fewer bits differ, the more similar the vectors are. */
export function signatureOf(vector: Int8Array): Uint8Array<ArrayBuffer> {
  const signature = new Uint8Array(signatureBytes);
  for (let i = 0; i < vectorBytes; i++) {
    if ((vector[i] as number) > 0) signature[i >> 3] = (signature[i >> 3] as number) | (1 << (i & 7));
  }
  return signature;
}
