import { piecesOf } from './word-pieces.js';

const magic = 0x31_56_54_4c;
const headerBytes = 16;

/** Number of bytes of a vector. `signatureBytes` is the size of its signature. */
export const vectorBytes = 128;
export const signatureBytes = vectorBytes / 8;

/** Maximum number of word pieces of a text that are used. */
const maxPieces = 512;

/** Texts with their weights. */
export type WeightedTexts = readonly (readonly [text: string, weight: number])[];

/**
 * Vectors of word pieces. The vector of a text is computed from them, and texts of similar meaning have similar
 * vectors.
 */
export class TokenVectors {
  private readonly rows = new Map<string, number>();
  private readonly vectors: Int8Array;

  /**
   * @param file content of a file of vectors, which must not change
   * @throws Error when it is not a file of vectors
   */
  constructor(file: Uint8Array) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    if (file.byteLength < headerBytes || view.getUint32(0, true) !== magic) throw new Error('no file of token vectors');
    const [count, components, textBytes] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [number, number, number];
    const vectorsAt = headerBytes + textBytes;
    if (components !== vectorBytes || file.byteLength !== vectorsAt + count * vectorBytes) {
      throw new Error('the file of token vectors is incomplete');
    }
    const pieces = new TextDecoder().decode(file.subarray(headerBytes, vectorsAt)).split('\n');
    for (const [row, piece] of pieces.entries()) this.rows.set(piece, row);
    this.vectors = new Int8Array(file.buffer, file.byteOffset + vectorsAt, count * vectorBytes);
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

  private sum(texts: WeightedTexts): Float64Array {
    const sum = new Float64Array(vectorBytes);
    let pieces = 0;
    for (const [text, weight] of texts) {
      for (const row of piecesOf(text, this.rows)) {
        if (++pieces > maxPieces) break;
        const at = row * vectorBytes;
        for (let i = 0; i < vectorBytes; i++) sum[i] = (sum[i] as number) + weight * (this.vectors[at + i] as number);
      }
    }
    return sum;
  }
}

/** Length to which vectors are scaled, chosen so that few components are cut off at 127. */
const scaledLength = 400;

function lengthOf(sum: Float64Array): number {
  return Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
}

function scaled(sum: Float64Array): Int8Array<ArrayBuffer> {
  const vector = new Int8Array(vectorBytes);
  const length = lengthOf(sum);
  if (length === 0) return vector;
  for (let i = 0; i < vectorBytes; i++) {
    vector[i] = Math.max(-127, Math.min(127, Math.round(((sum[i] as number) * scaledLength) / length)));
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
