import type { ClockWatch } from './clock-watch.js';

/**
 * Tells the parts that are opened before the clock watch whether expired data may be removed. Until the clock watch
 * starts, it may not.
 */
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
