import { setImmediate as nextIteration } from 'node:timers/promises';

const sliceMs = 5;

/** Gives the requests of all connections short time slices in turn, with one event loop iteration before each. */
export class FairScheduler {
  private last: Promise<unknown> = Promise.resolve();

  /** @returns end of the caller's time slice, as a value of `performance.now()` */
  async nextSlice(): Promise<number> {
    this.last = this.last.then(() => nextIteration());
    await this.last;
    return performance.now() + sliceMs;
  }
}
