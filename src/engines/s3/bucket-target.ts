import { mkdir, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  type BackupFolder,
  type BackupTarget,
  type StoredObject,
  targetOwnerName,
} from '../../backup/backup-target.port.js';
import type { FileReference } from '../../backup/file-access.port.js';
import type { ByteRate } from '../../kernel/byte-rate.js';
import type { Log } from '../../kernel/log.js';
import { Bucket } from './bucket.js';
import { BucketLock, lockKey } from './bucket-lock.js';
import { isMissingKey } from './s3-errors.js';
import type { S3Options } from './s3-options.js';
import { S3Servers } from './s3-servers.js';
import { storeObject } from './store-object.js';
import { withExplainedErrors } from './with-explained-errors.js';

export interface BucketTargetOptions {
  readonly s3: S3Options;
  /** Absolute path of a directory for data that is not sent yet; emptied on opening for writing. */
  readonly stagingDir: string;
  /** Whether this process may write; it is then the only writer. */
  readonly mayWrite: boolean;
  /** Limit on the upload rate; undefined: no limit. */
  readonly sending?: ByteRate;
  readonly log: Log;
}

/**
 * Opens the backups below a prefix of a bucket.
 * @throws Error when there are other objects and no backups below the prefix, or another process writes there
 */
export async function openBucketTarget({
  s3,
  stagingDir,
  mayWrite,
  sending,
  log,
}: BucketTargetOptions): Promise<BackupTarget> {
  const servers = new S3Servers(s3, log);
  const bucket = new Bucket(servers);
  try {
    return await withExplainedErrors(servers, async () => {
      const recorded = await bucket.readText(targetOwnerName);
      const owner = recorded?.trim() || undefined;
      if (recorded === undefined) await requireEmpty(bucket);
      if (!mayWrite) return new BucketTarget(bucket, stagingDir, owner, undefined, sending);
      const lock = await BucketLock.acquire(bucket);
      await rm(stagingDir, { recursive: true, force: true });
      await mkdir(stagingDir, { recursive: true, mode: 0o700 });
      return new BucketTarget(bucket, stagingDir, owner, lock, sending);
    });
  } catch (error) {
    servers.close();
    throw error;
  }
}

async function requireEmpty(bucket: Bucket): Promise<void> {
  for await (const keys of bucket.list('')) {
    if (keys.every((key) => key === lockKey)) continue;
    throw new Error(
      `s3://${bucket.name}/${bucket.prefix} has other objects and no backups. Nothing was changed. Name a bucket or a prefix that is empty.`,
    );
  }
}

class BucketTarget implements BackupTarget {
  readonly name: string;

  constructor(
    private readonly bucket: Bucket,
    readonly stagingDir: string,
    public storeId: string | undefined,
    private readonly lock: BucketLock | undefined,
    private readonly sending: ByteRate | undefined,
  ) {
    this.name = `s3://${bucket.name}/${bucket.prefix}`.replace(/\/$/, '');
  }

  async claim(storeId: string): Promise<void> {
    await this.write(() =>
      this.bucket.createText(targetOwnerName, `${storeId}\n`, { replaces: this.storeId !== undefined }),
    );
    this.storeId = storeId;
  }

  async *list(folder: BackupFolder): AsyncGenerator<StoredObject[]> {
    const start = `${folder}/`;
    const batches = this.bucket.list(start);
    for (;;) {
      const next = await this.withExplainedErrors(() => batches.next());
      if (next.done) return;
      yield next.value.map((key) => ({ name: key.slice(key.lastIndexOf('/') + 1), bytes: undefined }));
    }
  }

  async open(folder: BackupFolder, name: string): Promise<Readable | undefined> {
    return this.withExplainedErrors(async () => {
      try {
        const { content } = await this.bucket.open(keyOf(folder, name));
        return Readable.from(content(), { objectMode: false });
      } catch (error) {
        if (isMissingKey(error)) return undefined;
        throw error;
      }
    });
  }

  async store(folder: BackupFolder, name: string, stagedFile: string, file: FileReference): Promise<void> {
    const how = { replace: true, ...(this.sending && { rate: this.sending }) };
    await this.write(() => storeObject(this.bucket, keyOf(folder, name), { ...file, path: stagedFile }, how));
    await rm(stagedFile, { force: true });
  }

  /** Does nothing: an object is durable once the request that stores it has succeeded. */
  async flush(): Promise<void> {}

  async remove(folder: BackupFolder, name: string): Promise<boolean> {
    await this.write(() => this.bucket.remove(keyOf(folder, name)));
    return true;
  }

  describe(folder: BackupFolder, name: string): string {
    return `s3://${this.bucket.name}/${this.bucket.prefix}${keyOf(folder, name)}`;
  }

  async close(): Promise<void> {
    await this.lock?.release().catch(() => undefined);
    if (this.lock) await rm(this.stagingDir, { recursive: true, force: true });
    this.bucket.servers.close();
  }

  /** @throws Error when another process has taken the lock over */
  private write<T>(request: () => Promise<T>): Promise<T> {
    return this.withExplainedErrors(async () => {
      await this.lock?.require();
      return request();
    });
  }

  private withExplainedErrors<T>(request: () => Promise<T>): Promise<T> {
    return withExplainedErrors(this.bucket.servers, request);
  }
}

function keyOf(folder: BackupFolder, name: string): string {
  return folder === 'pool' ? `pool/${name.slice(0, 2)}/${name}` : `${folder}/${name}`;
}
