import { setImmediate as nextRound } from 'node:timers/promises';

/** After so much work in a row, everything else in the process gets its turn. */
const sliceMs = 4;

/** Shares the event loop: the jobs of all live clients run one after the other, in slices. */
export class TimeSlicedQueue {
  private last: Promise<unknown> = Promise.resolve();
  private spentMs = 0;

  /** A job is short and waits for nothing outside this thread. */
  run<T>(job: () => T | Promise<T>): Promise<T> {
    const done = this.last.then(() => this.measured(job));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async measured<T>(job: () => T | Promise<T>): Promise<T> {
    if (this.spentMs > sliceMs) {
      await nextRound();
      this.spentMs = 0;
    }
    const startedMs = performance.now();
    try {
      return await job();
    } finally {
      this.spentMs += performance.now() - startedMs;
    }
  }
}
