import { CachedCheck } from '../../kernel/cached-check.js';
import type { HealthCheck } from '../../kernel/health.js';
import type { Log } from '../../kernel/log.js';
import { storageUnavailable } from '../../kernel/storage-faults.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import type { Bucket } from './bucket.js';
import { type BucketOwner, claimBucket, ForeignBucket, readBucketOwner } from './bucket-identity.js';
import { describeS3Error, S3Error } from './s3-errors.js';

/** How long a result is reused. A check costs a request, and anybody may request one. */
const validMs = 5_000;
/** Load balancers wait no longer for all checks together. */
const checkLimitMs = 1_500;

/** Lets nothing be read or written before it is known that the bucket belongs to the logbook. */
export class BucketAccess {
  private isConfirmed = false;
  private isReported = false;
  private confirming: Promise<void> | undefined;
  private readonly checks = new CachedCheck(validMs, async () => [await this.check()]);

  constructor(
    private readonly bucket: Bucket,
    private readonly owner: BucketOwner,
    private readonly log: Log,
  ) {}

  /**
   * Confirms the bucket at the start, unless the object storage does not answer.
   * @throws Error that says what is wrong with the bucket or the settings
   */
  async open(): Promise<void> {
    try {
      await this.confirm();
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      const { options, endpoint } = this.bucket.servers;
      const problem = describeS3Error(error, options, endpoint);
      if (!error.isTransient) throw new Error(problem, { cause: error });
      this.log.warn(
        { reason: problem },
        'object storage is unreachable; file reads and writes will fail until it recovers',
      );
    }
  }

  /** @throws S3Error; Fault unavailable when the bucket is that of another logbook */
  async require(): Promise<void> {
    if (this.isConfirmed) return;
    this.confirming ??= this.confirm().finally(() => {
      this.confirming = undefined;
    });
    try {
      await this.confirming;
    } catch (error) {
      if (!(error instanceof ForeignBucket)) throw error;
      if (!this.isReported) this.log.error({ reason: error.message }, 'bucket belongs to another logbook');
      this.isReported = true;
      throw storageUnavailable(error);
    }
  }

  checkHealth(): Promise<HealthCheck[]> {
    return this.checks.read();
  }

  private async confirm(): Promise<void> {
    await claimBucket(this.bucket, this.owner);
    this.isConfirmed = true;
  }

  private async check(): Promise<HealthCheck> {
    const startedMs = performance.now();
    const problem = await this.findProblem();
    // Everything but files works without it, on every node alike: no reason to send clients elsewhere.
    if (problem !== undefined) return { name: 'attachments', status: 'warning', message: problem };
    const details = { milliseconds: Math.round(performance.now() - startedMs) };
    return { name: 'attachments', status: 'ok', message: 'The object storage of the files answers.', details };
  }

  private async findProblem(): Promise<string | undefined> {
    try {
      const found = await withTimeout(checkLimitMs, () => readBucketOwner(this.bucket, { isRepeated: false }));
      if (found === this.owner.storeId) return undefined;
      return 'The bucket of the files belongs to another logbook; the log of the service has the reason.';
    } catch {
      return 'The object storage of the files is not usable; the log of the service has the reason.';
    }
  }
}
