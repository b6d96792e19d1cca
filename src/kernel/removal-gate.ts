import type { ClockWatch } from './clock-watch.js';

/** Says whether what has expired may be removed, to what is opened before the clock is watched: until then, it may not. */
export class RemovalGate implements Pick<ClockWatch, 'mayRemoveByAge'> {
  private clockWatch: Pick<ClockWatch, 'mayRemoveByAge'> | undefined;

  /** Lets the clock watch decide from now on. */
  open(clockWatch: Pick<ClockWatch, 'mayRemoveByAge'>): void {
    this.clockWatch = clockWatch;
  }

  mayRemoveByAge(): boolean {
    return this.clockWatch?.mayRemoveByAge() ?? false;
  }
}
