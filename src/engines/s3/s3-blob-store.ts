import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type {
  BlobCondition,
  BlobReference,
  BlobStore,
  BlobStoreStatus,
  ByteRange,
  FindReferenced,
  StagedBlob,
} from '../../attachments/blob-store.port.js';
import type { HealthCheck } from '../../kernel/health.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import { fileSystemFault } from '../../kernel/storage-faults.js';
import { BlobProtection } from '../blob-protection.js';
import { receive } from '../receive-blob.js';
import { DamagedFile } from '../verified-blobs.js';
import { Bucket } from './bucket.js';
import { BucketAccess } from './bucket-access.js';
import type { BucketOwner } from './bucket-identity.js';
import type { CopyLimits } from './copy-object.js';
import { keyOf, ObjectQuarantine } from './object-quarantine.js';
import { type DamageFound, ObjectReader } from './object-reader.js';
import { S3Error, s3Fault } from './s3-errors.js';
import type { S3Options } from './s3-options.js';
import { S3Servers } from './s3-servers.js';
import { storeObject } from './store-object.js';
import { uploadExpiryJob } from './upload-expiry-job.js';

export interface S3BlobStoreOptions {
  readonly s3: S3Options;
  /** Absolute path of the directory for files that are being received; emptied at startup. */
  readonly incomingDir: string;
  readonly owner: BucketOwner;
  readonly log: Log;
  readonly jobs: JobRegistry;
  /** Maximum size of a file copied in one request, and size of the parts of larger files. */
  readonly copyLimits?: CopyLimits;
  /** Called when a file turns out to be damaged or missing. */
  readonly onDamage?: DamageFound;
  /** Called when a file was verified or stored. */
  readonly onIntact?: (checksum: string) => void;
}

/** Open blob store on object storage; the caller must close it. */
export interface OpenS3BlobStore {
  readonly blobs: BlobStore;
  close(): Promise<void>;
}

/**
 * Opens the blob store in a bucket: `ab/abcdef…` are stored files, `quarantine/` holds those without an attachment. If
 * the object storage does not respond, the store still opens; its operations fail until the object storage recovers.
 * @throws Error that says what is wrong with the bucket or the settings
 */
export async function openS3BlobStore(options: S3BlobStoreOptions): Promise<OpenS3BlobStore> {
  const { s3, incomingDir, owner, log, jobs } = options;
  // Files received by a previous process no longer have an owner.
  await rm(incomingDir, { recursive: true, force: true });
  await mkdir(incomingDir, { recursive: true, mode: 0o700 });
  const servers = new S3Servers(s3, log);
  const bucket = new Bucket(servers);
  const access = new BucketAccess(bucket, owner, log);
  try {
    await access.open();
  } catch (error) {
    servers.close();
    throw error;
  }
  const expiry = jobs.start(uploadExpiryJob({ bucket, access, log }));
  expiry.trigger();
  return {
    blobs: new S3BlobStore(options, bucket, access),
    async close() {
      await expiry.stop();
      servers.close();
    },
  };
}

class S3BlobStore implements BlobStore {
  private readonly stagedFiles = new WeakMap<StagedBlob, string>();
  /** Blobs whose commit added a file. */
  private readonly added = new WeakSet<StagedBlob>();
  private readonly protection = new BlobProtection();
  private readonly quarantined: ObjectQuarantine;
  private readonly reader: ObjectReader;

  constructor(
    private readonly options: S3BlobStoreOptions,
    private readonly bucket: Bucket,
    private readonly access: BucketAccess,
  ) {
    this.quarantined = new ObjectQuarantine(bucket, options.copyLimits);
    this.reader = new ObjectReader(bucket, this.quarantined, options);
  }

  // A file is received on the local disk, because its key, the checksum, is known only at its end.
  async stage(content: Readable, maxBytes: number): Promise<StagedBlob> {
    const file = join(this.options.incomingDir, randomUUID());
    const blob = await receive(content, maxBytes, file, (path) => open(path, 'wx', 0o600));
    this.stagedFiles.set(blob, file);
    return blob;
  }

  async discard(blob: StagedBlob): Promise<void> {
    const file = this.stagedFiles.get(blob);
    this.stagedFiles.delete(blob);
    if (file !== undefined) await rm(file, { force: true });
  }

  async commit(blob: StagedBlob): Promise<void> {
    const staged = this.stagedFiles.get(blob);
    if (staged === undefined) throw new Error('this blob was already committed or discarded');
    // A second commit of the same blob is rejected.
    this.stagedFiles.delete(blob);
    await this.protection.hold(blob.checksum);
    try {
      if (await this.store(blob, staged)) this.added.add(blob);
      this.options.onIntact?.(blob.checksum);
    } catch (error) {
      this.stagedFiles.set(blob, staged);
      this.release(blob);
      throw s3Fault(fileSystemFault(error));
    }
    // The file is stored: later failures must not fail the request.
    await rm(staged, { force: true }).catch(() => undefined);
  }

  release({ checksum }: StagedBlob): void {
    this.protection.release(checksum);
  }

  /**
   * Moves the files into quarantine, where they stay as long as other unreferenced files. Another node may be
   * committing the same content, and nodes do not know which blobs the others protect.
   */
  async removeUnreferenced(referenced: FindReferenced, blobs: readonly StagedBlob[]): Promise<number> {
    const checksums = blobs.filter((blob) => this.added.has(blob)).map(({ checksum }) => checksum);
    return (await this.quarantine(referenced, checksums)).length;
  }

  quarantine(referenced: FindReferenced, checksums: readonly string[]): Promise<string[]> {
    return this.asFaults(() =>
      this.protection.takeAway(referenced, checksums, (checksum) => this.moveToQuarantine(checksum)),
    );
  }

  async *list(): AsyncGenerator<string[]> {
    for await (const keys of this.listing(() => this.bucket.list(''))) {
      const checksums = keys.flatMap((key) => /^([0-9a-f]{2})\/(\1[0-9a-f]{62})$/.exec(key)?.[2] ?? []);
      yield checksums.filter((checksum) => !this.protection.isHeld(checksum));
      // All other names sort after the digits and a to f.
      if ((keys.at(-1) ?? '') > 'g') return;
    }
  }

  listQuarantined(): AsyncGenerator<string[]> {
    return this.listing(() => this.quarantined.list());
  }

  restore(checksum: string): Promise<void> {
    return this.asFaults(() => this.quarantined.giveBack(checksum));
  }

  removeQuarantined(checksum: string): Promise<void> {
    return this.asFaults(() => this.quarantined.remove(checksum));
  }

  open(file: BlobReference, range?: ByteRange, signal?: AbortSignal): Promise<Readable> {
    return this.asFaults(() => this.reader.open(file, range, signal));
  }

  verify(file: BlobReference, pace?: (bytes: number) => Promise<void>): Promise<BlobCondition> {
    return this.asFaults(() => this.reader.verify(file, pace));
  }

  checkHealth(): Promise<HealthCheck[]> {
    return this.access.checkHealth();
  }

  async status(): Promise<BlobStoreStatus> {
    const isUsable = (await this.checkHealth()).every(({ status }) => status === 'ok');
    return { engine: 'S3', servers: this.bucket.servers.statesWhen(isUsable) };
  }

  private async store(blob: StagedBlob, staged: string): Promise<boolean> {
    await this.access.require();
    const key = keyOf(blob.checksum);
    // An existing object may be damaged, so it is replaced. A concurrent upload by another node has the same content.
    const isPresent = (await this.bucket.find(key)) !== undefined;
    const isStored = await storeObject(this.bucket, key, { ...blob, path: staged }, { replace: isPresent });
    // The server reports that another node has stored the object; check that it exists before acknowledging.
    if (!isStored && (await this.bucket.find(key))?.size !== blob.size) {
      throw new S3Error('ConditionalRequestConflict', 409, true);
    }
    return isStored && !isPresent;
  }

  private async moveToQuarantine(checksum: string): Promise<boolean> {
    try {
      return await this.quarantined.take(checksum);
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      this.options.onDamage?.(checksum, 'damaged', 'the content has changed; no entry refers to the file, which stays');
      return false;
    }
  }

  private async *listing(list: () => AsyncIterable<string[]>): AsyncGenerator<string[]> {
    try {
      await this.access.require();
      yield* list();
    } catch (error) {
      throw s3Fault(error);
    }
  }

  private async asFaults<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.access.require();
      return await work();
    } catch (error) {
      throw s3Fault(error);
    }
  }
}
