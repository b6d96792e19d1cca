import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BlobCondition, BlobReference, ByteRange } from '../../attachments/blob-store.port.js';
import {
  DamagedFile,
  unreadableFile,
  VerifiedBlobs,
  verified,
  verifiedFirstBytes,
  verifyContent,
} from '../verified-blobs.js';
import type { Bucket, OpenObject } from './bucket.js';
import { keyOf, type ObjectQuarantine } from './object-quarantine.js';
import { isMissingKey, s3Fault } from './s3-errors.js';

/** Called when a file turns out to be damaged or missing. `reason` describes the damage for the operator. */
export type DamageFound = (checksum: string, condition: 'damaged' | 'missing', reason: string) => void;

export interface ReaderEvents {
  readonly onDamage?: DamageFound;
  readonly onIntact?: (checksum: string) => void;
}

/** A request for a file, or for part of it. */
interface Reading {
  readonly file: BlobReference;
  readonly range: ByteRange | undefined;
  readonly signal: AbortSignal | undefined;
  /** Receives the version of the object that is read. */
  readonly noted: { version?: string };
  readonly onError: (error: unknown) => unknown;
}

/** Reads files, and verifies those not yet verified since startup. */
export class ObjectReader {
  private readonly verified = new VerifiedBlobs();

  constructor(
    private readonly bucket: Bucket,
    private readonly quarantined: ObjectQuarantine,
    private readonly events: ReaderEvents,
  ) {}

  async open(file: BlobReference, range: ByteRange | undefined, signal: AbortSignal | undefined): Promise<Readable> {
    const noted: { version?: string } = {};
    const onError = (error: unknown) => this.toReadError(file, error, noted.version);
    const reading = { file, range, signal, noted, onError };
    try {
      signal?.throwIfAborted();
      return (await this.openVerified(reading)) ?? (await this.openFirst(reading));
    } catch (error) {
      signal?.throwIfAborted();
      throw onError(error);
    }
  }

  async verify(file: BlobReference, pace?: (bytes: number) => Promise<void>): Promise<BlobCondition> {
    let version: string | undefined;
    try {
      const found = await this.openStored(file);
      version = found.version;
      checkSize(file, found);
      await verifyContent(found.content(), file, pace);
      this.remember(file, version);
      return 'intact';
    } catch (error) {
      return this.noteDamage(file, error, version) ?? fail(error);
    }
  }

  /** Opens an already verified file with one request; undefined if it was not verified or has changed. */
  private async openVerified({ file, range, onError }: Reading): Promise<Readable | undefined> {
    if (!this.verified.knows(file)) return undefined;
    const found = await this.openStored(file, range);
    if (this.verified.has(file, found.version) && found.size === file.size) return toStream(found, onError);
    found.close();
    return undefined;
  }

  private async openFirst(reading: Reading): Promise<Readable> {
    const { file, range, signal, noted, onError } = reading;
    const found = await this.openStored(file);
    const { version } = found;
    noted.version = version;
    checkSize(file, found);
    try {
      // Rejects before the response begins, so that `HEAD` does not report a damaged file as intact.
      this.verified.checkNotDamaged(file, version);
    } catch (error) {
      found.close();
      throw error;
    }
    const remember = () => this.remember(file, version);
    if (file.size <= verifiedFirstBytes) {
      const content = await buffer(verified(found.content(), file, remember));
      return Readable.from([range ? content.subarray(range.start, range.end + 1) : content], { objectMode: false });
    }
    if (!range) return toStream(found, onError, verified(found.content(), file, remember));
    // The whole file is verified before a part of it is sent.
    await verifyContent(found.content(), file, async () => signal?.throwIfAborted());
    remember();
    const part = await this.openVerified(reading);
    if (!part) throw new DamagedFile('the object has changed while it was read');
    return part;
  }

  private async openStored(file: BlobReference, range?: ByteRange): Promise<OpenObject> {
    const key = keyOf(file.checksum);
    // Ranges do not apply to an empty object.
    const wanted = file.size === 0 ? undefined : range;
    try {
      return await this.bucket.open(key, wanted);
    } catch (error) {
      if (!isMissingKey(error)) throw error;
      // A restored database may refer to files that were unreferenced before.
      await this.quarantined.giveBack(file.checksum);
      return this.bucket.open(key, wanted);
    }
  }

  private remember(file: BlobReference, version: string): void {
    this.verified.add(file, version);
    this.events.onIntact?.(file.checksum);
  }

  private toReadError(file: BlobReference, error: unknown, version: string | undefined): unknown {
    return this.noteDamage(file, error, version) ? unreadableFile(error) : s3Fault(error);
  }

  /** Reports damage; returns undefined for an error that says nothing about the file, such as unreachable storage. */
  private noteDamage(
    { checksum }: BlobReference,
    error: unknown,
    version: string | undefined,
  ): 'damaged' | 'missing' | undefined {
    const condition = conditionAfter(error);
    if (!condition) return undefined;
    this.verified.delete(checksum, error, version);
    const reason = condition === 'missing' ? 'the object is missing' : (error as Error).message;
    this.events.onDamage?.(checksum, condition, reason);
    return condition;
  }
}

function conditionAfter(error: unknown): 'damaged' | 'missing' | undefined {
  if (error instanceof DamagedFile) return 'damaged';
  if (isMissingKey(error)) return 'missing';
  // The object ends before the range begins.
  return (error as { code?: unknown }).code === 'InvalidRange' ? 'damaged' : undefined;
}

/** @throws DamagedFile, after closing the connection, when the size of the object has changed since it was stored */
function checkSize({ size }: BlobReference, found: OpenObject): void {
  if (found.size === size) return;
  found.close();
  throw new DamagedFile(`the object has ${found.size} bytes instead of ${size}`);
}

function toStream(
  found: OpenObject,
  onError: (error: unknown) => unknown,
  content: AsyncGenerator<Buffer> = found.content(),
): Readable {
  async function* closing(): AsyncGenerator<Buffer> {
    try {
      yield* content;
    } catch (error) {
      throw onError(error);
    }
  }
  const stream = Readable.from(closing(), { objectMode: false });
  // `close` is emitted even if the stream is destroyed before the first read.
  stream.once('close', () => found.close());
  return stream;
}

function fail(error: unknown): never {
  throw error;
}
