import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Bucket } from './bucket.js';

/** Key of the lock. */
export const lockKey = 'lock';
/**
 * Time without renewal after which the holder of a lock counts as ended: object storage cannot detect the end of a
 * process.
 */
const validMs = 600_000;
const renewalMs = 60_000;

interface Lock {
  readonly holder: string;
  readonly host: string;
  /** 0: the lock is released. */
  readonly untilMs: number;
}

/**
 * Lock that makes this process the only writer below a prefix of a bucket. Each write of the lock replaces only the
 * version that was read. It is never removed, because not every server supports conditions for that.
 */
export class BucketLock {
  private readonly timer: NodeJS.Timeout;
  private renewing: Promise<void> | undefined;

  private constructor(
    private readonly bucket: Bucket,
    private readonly holder: string,
    private untilMs: number,
  ) {
    this.timer = setInterval(() => void this.renew().catch(() => undefined), renewalMs);
    this.timer.unref();
  }

  /** @throws Error when another process has the lock */
  static async acquire(bucket: Bucket): Promise<BucketLock> {
    const found = await readLock(bucket);
    if (found && found.lock.untilMs > Date.now()) throw locked(bucket, found.lock);
    const holder = randomUUID();
    const untilMs = Date.now() + validMs;
    const isStored = await bucket.createText(lockKey, encode(holder, untilMs), { replaces: found?.etag ?? false });
    // A server that ignores the condition lets two processes replace the lock that both have found.
    const current = isStored && !found ? undefined : (await readLock(bucket))?.lock;
    if (!isStored || (current && current.holder !== holder)) throw locked(bucket, current);
    return new BucketLock(bucket, holder, untilMs);
  }

  /**
   * Must be called before each write: the lock may have expired while this process was suspended.
   * @throws Error when another process has taken it over
   */
  async require(): Promise<void> {
    if (this.untilMs <= Date.now()) await this.renew();
  }

  /** @throws Error when another process has taken the lock over */
  renew(): Promise<void> {
    this.renewing ??= this.replace(Date.now() + validMs).finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing?.catch(() => undefined);
    await this.replace(0);
  }

  private async replace(untilMs: number): Promise<void> {
    const found = await readLock(this.bucket);
    const isOwn = found?.lock.holder === this.holder;
    // A lock that someone has removed is created again.
    const replaces = found?.etag ?? false;
    const mayStore = isOwn || found === undefined;
    if (mayStore && (await this.bucket.createText(lockKey, encode(this.holder, untilMs), { replaces }))) {
      this.untilMs = untilMs;
      return;
    }
    this.untilMs = 0;
    throw locked(this.bucket, isOwn ? (await readLock(this.bucket))?.lock : found?.lock);
  }
}

async function readLock(bucket: Bucket): Promise<{ readonly lock: Lock; readonly etag: string } | undefined> {
  const found = await bucket.readVersion(lockKey);
  return found && { lock: JSON.parse(found.text) as Lock, etag: found.etag };
}

function encode(holder: string, untilMs: number): string {
  const lock: Lock = { holder, host: hostname(), untilMs };
  return JSON.stringify(lock);
}

function locked(bucket: Bucket, lock: Lock | undefined): Error {
  const holder =
    lock && lock.untilMs > 0
      ? ` It runs on ${lock.host}; if it has crashed, its lock expires at ${new Date(lock.untilMs).toISOString()}.`
      : '';
  return new Error(
    `Another process is writing a backup to s3://${bucket.name}/${bucket.prefix}. Wait until it has finished.${holder}`,
  );
}
