import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import { Fault } from './fault.js';
import type { Log } from './log.js';
import { leaseRetryMs, type NodeLeases } from './node-leases.js';

/** Background work of the service, at intervals or after an event. */
export interface Job {
  /** Name of the job in the log and in the metrics. */
  readonly name: string;
  /** Time between runs; undefined: the job runs only when triggered. */
  readonly intervalMs?: number;
  /** Delay of a run after a trigger, so that one run serves several triggers. Default: 0. */
  readonly delayMs?: number;
  /** Delay of the next run after a failed one, unless a run is due earlier. Default: 5,000. */
  readonly retryMs?: number;
  /** Whether only one node of a cluster runs the job at a time; otherwise each node runs its own. */
  readonly isShared?: boolean;
  /** Called before the first run of a shared job, and whenever it runs here again after running on another node. */
  onTakeOver?(): void;
  /** Called when a shared job was due but another node runs it. */
  onRunElsewhere?(): void;
  /** Log message for a failed run. */
  readonly failure: string;
  /**
   * Does part of the work. `more`: run again immediately; `idle`: nothing is left. Must end soon after `signal` aborts:
   * either the service is stopping, or another node runs the shared job.
   */
  run(signal: AbortSignal): Promise<'more' | 'idle'>;
}

export interface JobStatus {
  readonly name: string;
  readonly isRunning: boolean;
  /** End of the last successful run, in milliseconds since the epoch; undefined before the first. */
  readonly lastSuccessMs: number | undefined;
  /** Duration of the last run, failed or not; undefined before the first. */
  readonly lastDurationMs: number | undefined;
  /** Error of the last run; undefined when it succeeded. */
  readonly lastError: string | undefined;
}

export interface JobDeps {
  readonly log: Log;
  readonly clock?: Clock;
  /** Leases that decide where a shared job runs; undefined: this process is the only node. */
  readonly leases?: Pick<NodeLeases, 'hold'> | undefined;
}

const defaultRetryMs = 5_000;

/** Runs one job, never twice concurrently and never after `stop`; retries it after a failure. */
export class BackgroundJob {
  private readonly stopping = new AbortController();
  /** Settles with the current run; never rejects. */
  private running: Promise<void> | undefined;
  /** Run that follows the current one. */
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private dueMs = Number.POSITIVE_INFINITY;
  private lastSuccessMs: number | undefined;
  private lastDurationMs: number | undefined;
  private lastError: string | undefined;
  private lastToken: number | undefined;

  constructor(
    private readonly job: Job,
    private readonly deps: JobDeps,
  ) {
    this.scheduleNext();
  }

  /** Schedules a run after the delay of the job; if the job is running, it runs once more afterwards. */
  trigger(): void {
    this.schedule(this.job.delayMs ?? 0);
  }

  /**
   * Runs the job without delay; resolves after a run that began after this call.
   * @throws the error of that run
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

  /** Aborts the current run and waits for its end; no run follows. */
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
      (hasRun) => this.onSuccess(hasRun),
      (error: unknown) => this.onFailure(error),
    );
    return run.then(() => undefined);
  }

  /** Runs the job until it is idle; returns false if another node runs the job. */
  private async runToIdle(): Promise<boolean> {
    const startedMs = performance.now();
    try {
      this.stopping.signal.throwIfAborted();
      const { leases } = this.deps;
      if (!leases || !this.job.isShared) return await this.runWhileMore(this.stopping.signal);
      const held = await leases.hold(this.job.name).catch((error: unknown) => {
        // The previous holder of the lease may have failed; the first node that reaches the store must take over in
        // time.
        this.schedule(leaseRetryMs);
        throw error;
      });
      if (!held) {
        this.job.onRunElsewhere?.();
        return false;
      }
      if (held.token !== this.lastToken) this.job.onTakeOver?.();
      this.lastToken = held.token;
      const signal = AbortSignal.any([this.stopping.signal, held.signal]);
      return await this.runWhileMore(signal).catch((error: unknown) => {
        if (held.signal.aborted) return false;
        throw error;
      });
    } finally {
      this.lastDurationMs = performance.now() - startedMs;
    }
  }

  private async runWhileMore(signal: AbortSignal): Promise<true> {
    while ((await this.job.run(signal)) === 'more') signal.throwIfAborted();
    return true;
  }

  private onSuccess(hasRun: boolean): void {
    this.running = undefined;
    if (!hasRun) {
      // The node that runs the job may fail at any time.
      this.schedule(leaseRetryMs);
      return;
    }
    this.lastSuccessMs = (this.deps.clock ?? systemClock).nowMs();
    this.lastError = undefined;
    this.scheduleNext();
  }

  private onFailure(error: unknown): void {
    this.running = undefined;
    if (this.stopping.signal.aborted) return;
    // Logged once per distinct error rather than at each retry. Codes are compared, because messages may contain
    // changing numbers.
    const reason = error instanceof Fault ? error.code : String(error);
    if (reason !== this.lastError) this.deps.log.error({ err: error, job: this.job.name }, this.job.failure);
    this.lastError = reason;
    this.schedule(this.job.retryMs ?? defaultRetryMs);
  }

  private scheduleNext(): void {
    if (this.job.intervalMs !== undefined) this.schedule(this.job.intervalMs);
  }

  /** Schedules a run unless one is due earlier. */
  private schedule(delayMs: number): void {
    const dueMs = performance.now() + delayMs;
    if (this.stopping.signal.aborted || dueMs >= this.dueMs) return;
    this.dueMs = dueMs;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.dueMs = Number.POSITIVE_INFINITY;
      // The current run may have missed the cause of this trigger, so another run follows. onFailure logs a failure.
      this.runNow().catch(() => undefined);
    }, delayMs);
    this.timer.unref();
  }
}
