import { LRUCache } from 'lru-cache';
import { upTo } from '../kernel/cache-limits.js';
import type { TextEncoding } from '../kernel/text-encoding.js';
import { type BlobReference, type BlobStore, headBytes } from './blob-store.port.js';
import { detectEncoding, lateEncodingOf } from './detect-encoding.js';

/** Maximum number of bytes of a text that are read. The rest is assumed to have the same encoding. */
const maxReadBytes = 16_777_216;
/** Maximum number of texts whose encodings are remembered. */
const maxRemembered = 10_000;

const charsets = new LRUCache<string, TextEncoding>(upTo(maxRemembered));

/**
 * Returns the encoding of a text; UTF-8 when it is unknown. The first call for a file reads the file.
 * @param signal ends the reading when it is no longer needed
 * @throws the reason of `signal` when it aborts; as `BlobStore.open`
 */
export async function findCharset(blobs: BlobStore, file: BlobReference, signal: AbortSignal): Promise<TextEncoding> {
  const known = charsets.get(file.checksum);
  if (known !== undefined || file.size === 0) return known ?? 'utf-8';
  const found = await readCharset(blobs, file, signal);
  // An interrupted reading may have missed the bytes that decide.
  signal.throwIfAborted();
  charsets.set(file.checksum, found);
  return found;
}

async function readCharset(blobs: BlobStore, file: BlobReference, signal: AbortSignal): Promise<TextEncoding> {
  const end = Math.min(file.size, maxReadBytes) - 1;
  const content = await blobs.open(file, { start: 0, end }, signal);
  const isUtf8Chunk = utf8Check();
  let head = Buffer.alloc(0);
  let late: Buffer | undefined;
  /** End of the previous chunk, which may contain the first byte of a character. */
  let endBytes: Buffer = Buffer.alloc(0);
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (head.length < headBytes) head = Buffer.concat([head, chunk]);
    // Keeps the bytes from the first chunk that is not UTF-8, which may come late in a long text.
    if (late !== undefined) late = Buffer.concat([late, chunk]);
    else if (!isUtf8Chunk(chunk)) late = Buffer.concat([endBytes, chunk]);
    else endBytes = chunk.subarray(chunk.findLastIndex((byte) => byte < 0x80) + 1);
    if (signal.aborted || (late !== undefined && late.length >= 2 * headBytes)) break;
  }
  const detected = detectEncoding(head.subarray(0, headBytes), true) ?? 'utf-8';
  return detected === 'utf-8' && late !== undefined ? lateEncodingOf(late) : detected;
}

/** Returns a function that tells whether the next chunk of a text is UTF-8. */
function utf8Check(): (chunk: Uint8Array) => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (chunk) => {
    try {
      decoder.decode(chunk, { stream: true });
      return true;
    } catch {
      return false;
    }
  };
}
