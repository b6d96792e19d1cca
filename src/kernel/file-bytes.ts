import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { TimeSlice } from './time-slice.js';

/** Size of the pieces in which bytes are hashed and stored. */
const pieceSize = 262_144;

/** Returns the SHA-256 of bytes, computed in slices. */
export async function digestOfBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  const slice = new TimeSlice();
  for (const piece of piecesOf(bytes)) {
    if (slice.isOver) await slice.next();
    hash.update(piece);
  }
  return hash.digest('hex');
}

/** Returns a stream of bytes that are in memory. */
export const streamOf = (bytes: Uint8Array): Readable => Readable.from(piecesOf(bytes), { objectMode: false });

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
}
