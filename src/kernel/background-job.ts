import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import { Fault } from './fault.js';
import type { Lease } from './lease.port.js';
import type { Log } from './log.js';

/** Work that the service does by itself, at intervals or after something happened. */
export interface Job {
  /** Names the job in the log and in the metrics. */
  readonly name: string;
  /** How often it runs by itself; without it, only when triggered. */
  readonly intervalMs?: number;
  /** How long a trigger waits, so that one run serves all that follow it closely. Default 0. */
  readonly delayMs?: number;
  /** How long after a failed run the next one begins, unless it is due earlier. Default 5,000. */
  readonly retryMs?: number;
  /** The log message of a failed run. */
  readonly failure: string;
  /** Does some of the work. `more`: run again at once; `idle`: nothing is left. Ends soon after `signal` aborts. */
  run(signal: AbortSignal): Promise<'more' | 'idle'>;
}

export interface JobStatus {
  readonly name: string;
  readonly isRunning: boolean;
  /** When the last run that succeeded ended, in milliseconds since the epoch; undefined before the first. */
  readonly lastSuccessMs: number | undefined;
  /** How long the last run took, failed or not; undefined before the first. */
  readonly lastDurationMs: number | undefined;
  /** Why the last run failed; undefined when it succeeded. */
  readonly lastError: string | undefined;
}

export interface JobDeps {
  readonly log: Log;
  readonly clock?: Clock;
  /** Without it, this process runs the job. */
  readonly lease?: Lease;
}

const defaultRetryMs = 5_000;

/** Runs one job: never twice at a time, again after a failure, and never after `stop`. */
export class BackgroundJob {
  private readonly stopping = new AbortController();
  /** Settles with the run under way; never rejects. */
  private running: Promise<void> | undefined;
  /** The run that follows the one under way. */
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private dueMs = Number.POSITIVE_INFINITY;
  private lastSuccessMs: number | undefined;
  private lastDurationMs: number | undefined;
  private lastError: string | undefined;

  constructor(
    private readonly job: Job,
    private readonly deps: JobDeps,
  ) {
    this.scheduleNext();
  }

  /** Makes it run once more, after the delay of the job; also when it is running already. */
  trigger(): void {
    this.schedule(this.job.delayMs ?? 0);
  }

  /**
   * Runs it without delay; resolves when a run that began after this call has ended.
   * @throws what the run threw
   */
  runNow(): Promise<void> {
    this.next ??= (this.running ?? Promise.resolve()).then(() => {
      this.next = undefined;
      return this.start();
    });
    return this.next;
  }

  get status(): JobStatus {
    return {
      name: this.job.name,
      isRunning: this.running !== undefined,
      lastSuccessMs: this.lastSuccessMs,
      lastDurationMs: this.lastDurationMs,
      lastError: this.lastError,
    };
  }

  /** Aborts the run under way and waits for its end; nothing runs afterwards. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private start(): Promise<void> {
    clearTimeout(this.timer);
    this.dueMs = Number.POSITIVE_INFINITY;
    const run = this.runToIdle();
    this.running = run.then(
      () => this.ended(undefined),
      (error: unknown) => this.ended(error),
    );
    return run;
  }

  private async runToIdle(): Promise<void> {
    const { signal } = this.stopping;
    const { lease } = this.deps;
    const startedMs = performance.now();
    try {
      if (signal.aborted || (lease && !(await lease.hold(this.job.name)))) return;
      while ((await this.job.run(signal)) === 'more' && !signal.aborted);
    } finally {
      this.lastDurationMs = performance.now() - startedMs;
    }
  }

  private ended(error: unknown): void {
    this.running = undefined;
    if (error === undefined) {
      this.lastSuccessMs = (this.deps.clock ?? systemClock).nowMs();
      this.lastError = undefined;
      this.scheduleNext();
      return;
    }
    if (this.stopping.signal.aborted) return;
    // Once for each distinct error, not at each retry; a message may contain figures that change.
    const reason = error instanceof Fault ? error.code : String(error);
    if (reason !== this.lastError) this.deps.log.error({ err: error, job: this.job.name }, this.job.failure);
    this.lastError = reason;
    this.schedule(this.job.retryMs ?? defaultRetryMs);
  }

  private scheduleNext(): void {
    if (this.job.intervalMs !== undefined) this.schedule(this.job.intervalMs);
  }

  /** Keeps the earlier of two times. */
  private schedule(delayMs: number): void {
    const dueMs = performance.now() + delayMs;
    if (this.stopping.signal.aborted || dueMs >= this.dueMs) return;
    this.dueMs = dueMs;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.dueMs = Number.POSITIVE_INFINITY;
      // The run under way may have looked before what triggered this one; its failure is logged.
      this.runNow().catch(() => undefined);
    }, delayMs);
    this.timer.unref();
  }
}
