const magic = 0x31_56_54_4c;
const headerBytes = 16;

/** Number of bytes of a vector. */
export const vectorBytes = 128;

/** Names with a vector each. */
export interface VectorTable {
  /** Row of each name. */
  readonly rows: ReadonlyMap<string, number>;
  /** All vectors, row by row. */
  readonly vectors: Int8Array;
}

/**
 * Reads a file of vectors.
 * @param file must not change, because the table refers to it
 * @throws Error when it is not a file of vectors
 */
export function readVectorTable(file: Uint8Array): VectorTable {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.byteLength < headerBytes || view.getUint32(0, true) !== magic) throw new Error('not a token vectors file');
  const [count, components, textBytes] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [number, number, number];
  const vectorsAt = headerBytes + textBytes;
  if (components !== vectorBytes || file.byteLength !== vectorsAt + count * vectorBytes) {
    throw new Error('the token vectors file is malformed');
  }
  const names = new TextDecoder().decode(file.subarray(headerBytes, vectorsAt)).split('\n');
  return {
    rows: new Map(names.map((name, row) => [name, row])),
    vectors: new Int8Array(file.buffer, file.byteOffset + vectorsAt, count * vectorBytes),
  };
}

/** Returns a file with these vectors, in the same order. */
export function writeVectorTable(vectors: ReadonlyMap<string, Int8Array>): Uint8Array<ArrayBuffer> {
  const names = new TextEncoder().encode([...vectors.keys()].join('\n'));
  const file = new Uint8Array(headerBytes + names.length + vectors.size * vectorBytes);
  const view = new DataView(file.buffer);
  for (const [at, value] of [magic, vectors.size, vectorBytes, names.length].entries()) {
    view.setUint32(4 * at, value, true);
  }
  file.set(names, headerBytes);
  let at = headerBytes + names.length;
  for (const vector of vectors.values()) {
    new Int8Array(file.buffer).set(vector, at);
    at += vectorBytes;
  }
  return file;
}
