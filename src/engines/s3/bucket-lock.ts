import { createHash, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Bucket } from './bucket.js';
import { storeObject } from './store-object.js';

const key = 'lock';
/**
 * Time without renewal after which the holder of a lock counts as ended: object storage cannot detect the end of a
 * process.
 */
const validMs = 600_000;
const renewalMs = 60_000;

interface Lock {
  readonly holder: string;
  readonly host: string;
  readonly untilMs: number;
}

/** Lock that makes this process the only writer below a prefix of a bucket. */
export class BucketLock {
  private readonly holder = randomUUID();
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly bucket: Bucket,
    private readonly stagingDir: string,
  ) {
    this.timer = setInterval(() => void this.renew().catch(() => undefined), renewalMs);
    this.timer.unref();
  }

  /** @throws Error when another process has the lock */
  static async acquire(bucket: Bucket, stagingDir: string): Promise<BucketLock> {
    const found = await readLock(bucket);
    if (found && found.untilMs > Date.now()) throw locked(bucket, found);
    if (found) await bucket.remove(key);
    const lock = new BucketLock(bucket, stagingDir);
    if (await bucket.createText(key, lock.text())) return lock;
    clearInterval(lock.timer);
    throw locked(bucket, await readLock(bucket));
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    if ((await readLock(this.bucket))?.holder === this.holder) await this.bucket.remove(key);
  }

  private async renew(): Promise<void> {
    const staged = join(this.stagingDir, key);
    const text = this.text();
    await writeFile(staged, text, { mode: 0o600 });
    const checksum = createHash('sha256').update(text).digest('hex');
    await storeObject(this.bucket, key, { path: staged, checksum, size: Buffer.byteLength(text) }, { replace: true });
    await rm(staged, { force: true });
  }

  private text(): string {
    const lock: Lock = { holder: this.holder, host: hostname(), untilMs: Date.now() + validMs };
    return JSON.stringify(lock);
  }
}

async function readLock(bucket: Bucket): Promise<Lock | undefined> {
  const text = await bucket.readText(key);
  return text === undefined ? undefined : (JSON.parse(text) as Lock);
}

function locked(bucket: Bucket, lock: Lock | undefined): Error {
  const holder = lock
    ? ` It runs on ${lock.host}; if it has crashed, its lock expires at ${new Date(lock.untilMs).toISOString()}.`
    : '';
  return new Error(
    `Another process is writing a backup to s3://${bucket.name}/${bucket.prefix}. Wait until it has finished.${holder}`,
  );
}
