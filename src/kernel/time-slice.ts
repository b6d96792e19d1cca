import { setImmediate as nextRound } from 'node:timers/promises';

/** Resolves in the next round of the event loop, after work that is already waiting. */
export { nextRound };

/**
 * Length of a slice. Other work may wait for up to 10 ms: the rest is for the last step of the slice and for garbage
 * collection.
 */
const sliceMs = 3;

/** Divides long work into slices, between which the event loop runs other work. */
export class TimeSlice {
  private startedMs = performance.now();

  /** Whether it is time for other work. */
  get isOver(): boolean {
    return performance.now() - this.startedMs >= sliceMs;
  }

  /** Begins the next slice in the next round of the event loop. */
  async next(): Promise<void> {
    await nextRound();
    this.startedMs = performance.now();
  }
}

/** Runs many short tasks one after the other, in time slices, so that they do not block the event loop. */
export class TimeSlicedQueue {
  private last: Promise<unknown> = Promise.resolve();
  private spentMs = 0;

  /**
   * Runs the task after all earlier ones; settles like the task. A task must be short and must not wait for anything
   * outside this thread.
   */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const done = this.last.then(() => this.runMeasured(task));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async runMeasured<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.spentMs >= sliceMs) {
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
