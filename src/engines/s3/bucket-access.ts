import { CachedCheck } from '../../kernel/cached-check.js';
import type { HealthCheck } from '../../kernel/health.js';
import type { Log } from '../../kernel/log.js';
import { storageUnavailable } from '../../kernel/storage-faults.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import type { Bucket } from './bucket.js';
import { type BucketOwner, claimBucket, ForeignBucket, readBucketOwner } from './bucket-identity.js';
import { describeS3Error, S3Error } from './s3-errors.js';

/** Maximum age of a reused result. A check costs a request, and anybody may request one. */
const validMs = 5_000;
/** Time limit, because load balancers do not wait longer for all checks together. */
const checkLimitMs = 1_500;

/** Prevents reads and writes until the bucket is confirmed to belong to the logbook. */
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
   * Confirms the bucket at startup, unless the object storage does not respond.
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

  /** @throws S3Error; Fault unavailable when the bucket belongs to another logbook */
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
    // Only a warning: every node lacks the files equally, and everything else works without them.
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
