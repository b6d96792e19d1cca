import { setImmediate as nextIteration } from 'node:timers/promises';

const sliceMs = 5;

/** Gives the requests of all connections short time slices in turn, with one event loop iteration before each. */
export class FairScheduler {
  private last: Promise<unknown> = Promise.resolve();

  /** @returns the value of `performance.now()` at which the time slice of the caller ends */
  async nextSlice(): Promise<number> {
    this.last = this.last.then(() => nextIteration());
    await this.last;
    return performance.now() + sliceMs;
  }
}
