import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BlobReference } from '../attachments/blob-store.port.js';
import { upTo } from '../kernel/cache-limits.js';
import { Fault } from '../kernel/fault.js';

/** Maximum size of a file that is verified before its response begins, so that damage becomes an error response. */
export const verifiedFirstBytes = 1_048_576;

/** Maximum number of files remembered as verified; the others are verified at each read. */
const maxRemembered = 100_000;

/**
 * Time for which a file counts as damaged before it is read again: faulty memory or a cable may have caused the damage.
 */
const damageTtlMs = 300_000;

/** Error for a file that cannot be read as it was stored: its content or size has changed. */
export class DamagedFile extends Error {}

/** Remembers, per version of a file, whether it was verified or found damaged. */
export class VerifiedBlobs {
  private readonly verified = new LRUCache<string, string>(upTo(maxRemembered));
  private readonly damaged = new LRUCache<string, { readonly version: string; readonly damage: DamagedFile }>({
    ...upTo(maxRemembered),
    ttl: damageTtlMs,
  });

  has({ checksum }: BlobReference, version: string): boolean {
    return this.verified.get(checksum) === version;
  }

  /** Whether any version of the file was verified. */
  knows({ checksum }: BlobReference): boolean {
    return this.verified.has(checksum);
  }

  add({ checksum }: BlobReference, version: string): void {
    this.verified.set(checksum, version);
    this.damaged.delete(checksum);
  }

  /** @throws DamagedFile when this version of the file is known to be damaged */
  checkNotDamaged({ checksum }: BlobReference, version: string): void {
    const known = this.damaged.get(checksum);
    if (known?.version === version) throw known.damage;
  }

  /** @param version undefined when the file could not be examined */
  delete(checksum: string, error: unknown, version: string | undefined): void {
    this.verified.delete(checksum);
    if (version !== undefined && error instanceof DamagedFile) this.damaged.set(checksum, { version, damage: error });
  }
}

/**
 * Reads the whole content.
 * @param pace called after each chunk; the next chunk is read once it resolves
 * @throws DamagedFile when the content does not match its checksum
 */
export async function verifyContent(
  content: AsyncIterable<Buffer>,
  { checksum }: BlobReference,
  pace?: (bytes: number) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of content) {
    hash.update(chunk);
    await pace?.(chunk.length);
  }
  checkDigest(hash.digest('hex'), checksum);
}

/**
 * Yields the whole content. Withholds the last chunk until the content is verified, so that a damaged file never
 * appears complete.
 * @throws DamagedFile when the content does not match its checksum
 */
export async function* verified(
  content: AsyncIterable<Buffer>,
  { checksum }: BlobReference,
  onVerified: () => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for await (const chunk of content) {
    hash.update(chunk);
    if (held) yield held;
    held = chunk;
  }
  checkDigest(hash.digest('hex'), checksum);
  onVerified();
  if (held) yield held;
}

function checkDigest(found: string, checksum: string): void {
  if (found !== checksum) throw new DamagedFile(`the content of the file has changed: its SHA-256 is ${found}`);
}

export function unreadableFile(cause: unknown): Fault {
  return new Fault(
    'broken',
    'attachment.unreadable',
    'The file of this attachment is missing, damaged or cannot be read. The log of the service has the reason.',
    { cause },
  );
}
