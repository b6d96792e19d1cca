import type { BackgroundJob } from './background-job.js';
import type { Clock, MonotonicClock } from './clock.js';
import type { ClockReader, ClockState, ClockStore } from './clock-store.port.js';
import type { JobRegistry } from './job-registry.js';
import type { Log } from './log.js';
import type { UnitOfWork } from './unit-of-work.js';

/** Maximum difference between the clock and the elapsed time; a larger difference is a jump. */
const maxDeviationMs = 3_600_000;
/** Maximum downtime of the service; after a longer one, a jump cannot be distinguished from downtime. */
const maxStopMs = 86_400_000;
/** Time for which the clock must run steadily before a jump counts as confirmed. */
const confirmationMs = 86_400_000;
const intervalMs = 600_000;

export interface ClockWatchDeps {
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly storage: UnitOfWork<{ readonly clock: ClockStore }, { readonly clock: ClockReader }>;
  readonly log: Log;
  readonly jobs: JobRegistry;
}

/** A reading of the system clock, with the process time at which it was taken. */
interface Reading {
  readonly wallMs: number;
  readonly atMs: number;
}

/** An unconfirmed jump. */
interface Suspicion {
  /** Reading that the clock would have shown without the jump. */
  readonly expected: Reading;
  /**
   * Maximum time ahead of the expected time at which the clock counts as corrected. It allows for downtime of the
   * service.
   */
  readonly maxAheadMs: number;
  /** Process time since which the clock has run steadily. */
  readonly sinceMs: number;
}

/**
 * Decides whether the system clock can be trusted to delete expired data. A clock that is wrong for an hour must not
 * delete a year of records. After a jump of more than an hour, nothing may be removed by age until the clock is
 * corrected or has run steadily for a day. Downtime of more than a day also counts as a jump, because the clock may
 * have been set in the meantime.
 */
export class ClockWatch {
  private last: Reading;
  private suspicion: Suspicion | undefined;
  private job: BackgroundJob | undefined;

  private constructor(
    private readonly deps: ClockWatchDeps,
    private readonly isAlwaysTrusted: boolean,
  ) {
    this.last = this.read();
  }

  /**
   * Starts the watch by comparing the clock with the stored state.
   * @param newestRecordMs time of the newest record, for a store without a state
   * @param isAlwaysTrusted whether an operator has confirmed the clock
   */
  static async start(
    deps: ClockWatchDeps,
    { newestRecordMs, isAlwaysTrusted }: { newestRecordMs: number | undefined; isAlwaysTrusted: boolean },
  ): Promise<ClockWatch> {
    const watch = new ClockWatch(deps, isAlwaysTrusted);
    const stored = await deps.storage.committed.clock.find();
    const state = stored ?? (newestRecordMs === undefined ? undefined : { wallMs: newestRecordMs });
    if (state && !isAlwaysTrusted) watch.resume(state);
    watch.job = deps.jobs.start({
      name: 'clock-watch',
      intervalMs,
      failure: 'storing the state of the clock failed; will retry',
      run: async () => {
        watch.observe();
        await watch.store();
        return 'idle';
      },
    });
    watch.job.trigger();
    return watch;
  }

  /** Returns whether data that has expired by the system clock may be removed. */
  mayRemoveByAge(): boolean {
    this.observe();
    return this.suspicion === undefined;
  }

  /** Stores the state and stops the job. */
  async close(): Promise<void> {
    this.observe();
    await this.store().catch(() => undefined);
    await this.job?.stop();
  }

  private resume({ wallMs, suspicion }: ClockState): void {
    const { last } = this;
    const stopMs = last.wallMs - wallMs;
    const isPlausibleStop = stopMs >= -maxDeviationMs && stopMs <= maxStopMs;
    if (suspicion) {
      const sinceMs = isPlausibleStop ? last.atMs - suspicion.observedMs : last.atMs;
      const expected = { wallMs: suspicion.expectedMs, atMs: last.atMs };
      this.suspicion = { expected, maxAheadMs: maxStopMs, sinceMs };
      this.observe();
    } else if (!isPlausibleStop) {
      this.suspect({ wallMs, atMs: last.atMs }, maxStopMs, stopMs);
    }
  }

  private observe(): void {
    if (this.isAlwaysTrusted) return;
    const { last } = this;
    this.last = this.read();
    const expected = { wallMs: last.wallMs + this.last.atMs - last.atMs, atMs: this.last.atMs };
    const jumpMs = this.last.wallMs - expected.wallMs;
    const hasJumped = Math.abs(jumpMs) > maxDeviationMs;
    if (!this.suspicion) {
      if (hasJumped) this.suspect(expected, maxDeviationMs, jumpMs);
    } else if (this.isBack(this.suspicion)) {
      this.suspicion = undefined;
      this.deps.log.info({}, 'system clock is correct again; removing expired data continues');
    } else if (hasJumped) {
      this.suspicion = { ...this.suspicion, sinceMs: this.last.atMs };
      this.deps.log.warn({ jumpHours: toHours(jumpMs) }, 'system clock jumped again');
    } else if (this.last.atMs - this.suspicion.sinceMs >= confirmationMs) {
      this.suspicion = undefined;
      this.deps.log.info({}, 'system clock has run steadily for a day; expired data are removed again');
    }
  }

  private isBack({ expected, maxAheadMs }: Suspicion): boolean {
    const expectedMs = expected.wallMs + this.last.atMs - expected.atMs;
    const aheadMs = this.last.wallMs - expectedMs;
    return aheadMs >= -maxDeviationMs && aheadMs <= maxAheadMs;
  }

  private suspect(expected: Reading, maxAheadMs: number, jumpMs: number): void {
    this.suspicion = { expected, maxAheadMs, sinceMs: this.last.atMs };
    this.deps.log.warn(
      { jumpHours: toHours(jumpMs) },
      'system clock jumped, or the service did not run for long; nothing is removed by age until the clock has run steadily for a day. If the clock is right, set trustSystemClock=true to confirm it',
    );
  }

  private async store(): Promise<void> {
    const { last, suspicion } = this;
    const state: ClockState = {
      wallMs: last.wallMs,
      ...(suspicion && {
        suspicion: {
          expectedMs: suspicion.expected.wallMs + last.atMs - suspicion.expected.atMs,
          observedMs: last.atMs - suspicion.sinceMs,
        },
      }),
    };
    await this.deps.storage.write((tx) => tx.clock.put(state));
  }

  private read(): Reading {
    return { wallMs: this.deps.clock.nowMs(), atMs: this.deps.monotonic.elapsedMs() };
  }
}

function toHours(ms: number): number {
  return Math.round(ms / 3_600_000);
}
