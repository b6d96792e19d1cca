import type { CommittedEntryWrite, EntryWriteReader } from '../entries/entry-writes.port.js';
import type { BackgroundJob, Job } from '../kernel/background-job.js';
import { type MonotonicClock, monotonicClock } from '../kernel/clock.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import { nextRound } from '../kernel/time-slice.js';

/** Delay after a notification, so that one run can follow several writes. Searches do not wait for it. */
const delayMs = 100;
/** Maximum number of writes in a list. */
export const listedWrites = 256;

export interface WriteFollowerDeps {
  readonly entryWrites: EntryWriteReader;
  readonly jobs: JobRegistry;
  readonly clock?: MonotonicClock;
}

interface WriteFollowerOptions extends Pick<Job, 'name' | 'failure'> {
  /**
   * Interval between runs without a notification, because notifications may be lost. Also the delay after a failure.
   */
  readonly intervalMs: number;
}

/** Follows the writes of all nodes in their order. */
export abstract class WriteFollower {
  protected readonly clock: MonotonicClock;
  /** Time at which everything was last followed, by the monotonic clock; undefined: never. */
  protected caughtUpMs: number | undefined;
  private checkedMs = Number.NEGATIVE_INFINITY;
  private readonly entryWrites: EntryWriteReader;
  private readonly checkMs: number;
  private readonly job: BackgroundJob;

  constructor({ entryWrites, jobs, clock = monotonicClock }: WriteFollowerDeps, options: WriteFollowerOptions) {
    const { intervalMs } = options;
    this.clock = clock;
    this.entryWrites = entryWrites;
    this.checkMs = 2 * intervalMs;
    this.job = jobs.start({ ...options, delayMs, retryMs: intervalMs, run: (signal) => this.follow(signal) });
    this.job.trigger();
  }

  protected abstract follow(signal: AbortSignal): ReturnType<Job['run']>;

  /** Follows the writes soon. Must be called when entries may have been written. */
  onWrite(): void {
    this.job.trigger();
  }

  /** Resolves when all writes acknowledged before the call have been followed. */
  catchUp(): Promise<void> {
    return this.job.runNow();
  }

  /** Maximum age of a write that was not followed, in milliseconds; undefined when the follower has never caught up. */
  get lagMs(): number | undefined {
    return this.caughtUpMs === undefined ? undefined : this.clock.elapsedMs() - this.caughtUpMs;
  }

  /** Stops following; resolves when the last run has ended. */
  close(): Promise<void> {
    return this.job.stop();
  }

  /** Lists the writes after a position. The last list is shorter than `listedWrites`. */
  protected async *listAfter(
    position: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<readonly CommittedEntryWrite[]> {
    for (let after = position; ; await nextRound()) {
      signal.throwIfAborted();
      const writes = await this.entryWrites.listCommittedAfter(after, listedWrites);
      yield writes;
      if (writes.length < listedWrites) return;
      after = writes.at(-1)?.position;
    }
  }

  /**
   * Whether to check the position against the storage even without a new write, because the storage may have been
   * restored from a copy.
   */
  protected get isCheckDue(): boolean {
    return this.clock.elapsedMs() >= this.checkedMs + this.checkMs;
  }

  protected checkSoon(): void {
    this.checkedMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns whether the storage contains everything up to the position; true if no check is due. Must be called after
   * the writes were listed, because they may follow a gap if the storage was restored in between.
   */
  protected async isPositionStored(position: string | undefined, hasWrites: boolean): Promise<boolean> {
    if (position === undefined || !(hasWrites || this.isCheckDue)) return true;
    this.checkedMs = this.clock.elapsedMs();
    return this.areStored([position]);
  }

  protected async areStored(positions: Iterable<string>): Promise<boolean> {
    for (const position of positions) if (!(await this.entryWrites.contains(position))) return false;
    return true;
  }
}
