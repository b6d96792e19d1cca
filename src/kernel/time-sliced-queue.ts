import { setImmediate as nextRound } from 'node:timers/promises';

/** After this much work in a row, the queue yields to the event loop. */
const sliceMs = 4;

/** Runs many short tasks one after the other, in time slices, so that they do not block the event loop. */
export class TimeSlicedQueue {
  private last: Promise<unknown> = Promise.resolve();
  private spentMs = 0;

  /**
   * Runs the task after all earlier ones and settles as it does. A task must be short and must not wait for anything
   * outside this thread.
   */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const done = this.last.then(() => this.runMeasured(task));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async runMeasured<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.spentMs > sliceMs) {
      await nextRound();
      this.spentMs = 0;
    }
    const startedMs = performance.now();
    try {
      return await task();
    } finally {
      this.spentMs += performance.now() - startedMs;
    }
  }
}
