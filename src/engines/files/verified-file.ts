import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { BlobReference, ByteRange } from '../../attachments/blob-store.port.js';

const chunkBytes = 65_536;
/** A file beyond this number is verified again when it is read again. */
const maxRemembered = 100_000;

/** Afterwards the file is read again: memory or a cable may have been at fault, and not the file. */
const damageTtlMs = 300_000;

/** The content of a file is not what its checksum or its size says. */
export class DamagedFile extends Error {}

/** Remembers which files were verified, and what was wrong with them, until they change. */
export class VerifiedFiles {
  private readonly verified = new LRUCache<string, string>({ max: maxRemembered });
  private readonly damaged = new LRUCache<string, { readonly version: string; readonly damage: DamagedFile }>({
    max: maxRemembered,
    ttl: damageTtlMs,
  });

  has({ checksum }: BlobReference, stats: BigIntStats): boolean {
    return this.verified.get(checksum) === versionOf(stats);
  }

  add({ checksum }: BlobReference, stats: BigIntStats): void {
    this.verified.set(checksum, versionOf(stats));
    this.damaged.delete(checksum);
  }

  /** @throws DamagedFile when the content was found damaged and has not changed since */
  checkNotDamaged({ checksum }: BlobReference, stats: BigIntStats): void {
    const known = this.damaged.get(checksum);
    if (known?.version === versionOf(stats)) throw known.damage;
  }

  /** @param stats undefined when the file could not be examined */
  delete(checksum: string, error: unknown, stats: BigIntStats | undefined): void {
    this.verified.delete(checksum);
    if (stats && error instanceof DamagedFile) {
      this.damaged.set(checksum, { version: versionOf(stats), damage: error });
    }
  }
}

function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** @throws DamagedFile when the file has another size than it had when it was stored */
export function checkSize({ size }: BlobReference, stats: BigIntStats): void {
  if (!stats.isFile()) throw new DamagedFile('there is something else in place of the file');
  if (stats.size !== BigInt(size)) throw new DamagedFile(`the file has ${stats.size} bytes instead of ${size}`);
}

/**
 * Reads the whole file.
 * @param pace called after each chunk; the next is read when it resolves
 * @throws DamagedFile when its content does not match its checksum
 */
export async function verifyContent(
  handle: FileHandle,
  { checksum, size }: BlobReference,
  pace?: (bytes: number) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of readBytes(handle, { start: 0, end: size - 1 })) {
    hash.update(chunk);
    await pace?.(chunk.length);
  }
  checkDigest(hash.digest('hex'), checksum);
}

/** Streams part of a file that was verified, and closes it. */
export function streamRange(handle: FileHandle, range: ByteRange, onError: (error: unknown) => Error): Readable {
  return toStream(handle, readBytes(handle, range), onError);
}

/**
 * Streams the whole file and closes it. The last chunk follows only after the content was verified: a damaged file
 * never looks like a complete one.
 */
export function streamVerified(
  handle: FileHandle,
  file: BlobReference,
  onVerified: () => void,
  onError: (error: unknown) => Error,
): Readable {
  async function* verified(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let held: Buffer | undefined;
    for await (const chunk of readBytes(handle, { start: 0, end: file.size - 1 })) {
      hash.update(chunk);
      if (held) yield held;
      held = chunk;
    }
    checkDigest(hash.digest('hex'), file.checksum);
    onVerified();
    if (held) yield held;
  }
  return toStream(handle, verified(), onError);
}

function checkDigest(found: string, checksum: string): void {
  if (found !== checksum) throw new DamagedFile(`the content of the file has changed: its SHA-256 is ${found}`);
}

/** @throws DamagedFile when the file ends before the range does */
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
  // Also for a stream that is destroyed before anything was read.
  stream.once('close', () => void handle.close().catch(() => undefined));
  return stream;
}
