import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Length of a slice, of the 10 ms for which other work may wait. The rest is for a step that began in time and for
 * garbage collection.
 */
const sliceMs = 3;

/** Divides long work into slices, between which the event loop does other work. */
export class TimeSlice {
  private startedMs = performance.now();

  /** True when it is time for other work. */
  get isOver(): boolean {
    return performance.now() - this.startedMs >= sliceMs;
  }

  /** Resolves in the next turn of the event loop, where the next slice begins. */
  async next(): Promise<void> {
    await nextTurn();
    this.startedMs = performance.now();
  }
}
