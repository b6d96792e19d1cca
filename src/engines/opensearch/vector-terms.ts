import { signatureOf } from '../../../packages/token-vectors/token-vectors.js';

/** Number of bits per part of a signature. Smaller parts choose similar entries better, but take longer to compare. */
const partBits = 2;
const partsPerByte = 8 / partBits;

/**
 * Returns the parts of the signature of a vector, each with its position. The more parts two vectors have in common,
 * the more similar they are.
 */
export function signatureParts(vector: Int8Array): string[] {
  return Array.from(signatureOf(vector)).flatMap((byte, at) =>
    Array.from({ length: partsPerByte }, (_, part) => {
      const bits = (byte >> (part * partBits)) & ((1 << partBits) - 1);
      return `${at * partsPerByte + part}:${bits}`;
    }),
  );
}

/**
 * Returns the parts of the signature with their weights, on average 1: large components of the vector say more than
 * small ones. A vector of zeros, which is similar to none, has no parts.
 */
export function weighedParts(vector: Int8Array): { readonly part: string; readonly weight: number }[] {
  const parts = signatureParts(vector);
  const sizes = parts.map((_, at) =>
    vector.subarray(at * partBits, (at + 1) * partBits).reduce((sum, component) => sum + Math.abs(component), 0),
  );
  const average = sizes.reduce((sum, size) => sum + size, 0) / parts.length;
  return average === 0 ? [] : parts.map((part, at) => ({ part, weight: (sizes[at] ?? 0) / average }));
}

/** Returns a vector in the form in which OpenSearch stores and returns binary values. */
export const encodeVector = (vector: Int8Array<ArrayBuffer>): string => Buffer.from(vector.buffer).toString('base64');

export function decodeVector(encoded: string): Int8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(encoded, 'base64');
  return new Int8Array(buffer, byteOffset, byteLength);
}
