import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BlobReference, ByteRange } from '../../attachments/blob-store.port.js';
import { DamagedFile, verified } from '../verified-blobs.js';

const chunkBytes = 65_536;

/** Returns a string that changes whenever the file changes. */
export function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** @throws DamagedFile when it is not a regular file, or its size has changed since it was stored */
export function checkSize({ size }: BlobReference, stats: BigIntStats): void {
  if (!stats.isFile()) throw new DamagedFile('there is something else in place of the file');
  if (stats.size !== BigInt(size)) throw new DamagedFile(`the file has ${stats.size} bytes instead of ${size}`);
}

/** Reads the whole file. @throws DamagedFile when the file is shorter than recorded */
export function readWhole(handle: FileHandle, { size }: BlobReference): AsyncGenerator<Buffer> {
  return readBytes(handle, { start: 0, end: size - 1 });
}

/** Streams part of a verified file, then closes it. */
export function streamRange(handle: FileHandle, range: ByteRange, onError: (error: unknown) => Error): Readable {
  return toStream(handle, readBytes(handle, range), onError);
}

/** Streams the whole file, verifies it before the last chunk, then closes it. */
export function streamVerified(
  handle: FileHandle,
  file: BlobReference,
  onVerified: () => void,
  onError: (error: unknown) => Error,
): Readable {
  return toStream(handle, verified(readWhole(handle, file), file, onVerified), onError);
}

/** @throws DamagedFile when the file ends before the range */
async function* readBytes(handle: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - at + 1));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) throw new DamagedFile(`the file ends at byte ${at}`);
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

function toStream(handle: FileHandle, content: AsyncGenerator<Buffer>, onError: (error: unknown) => Error): Readable {
  async function* closing(): AsyncGenerator<Buffer> {
    try {
      yield* content;
    } catch (error) {
      throw onError(error);
    }
  }
  const stream = Readable.from(closing(), { objectMode: false, highWaterMark: chunkBytes });
  // `close` is emitted even if the stream is destroyed before the first read.
  stream.once('close', () => void handle.close().catch(() => undefined));
  return stream;
}
