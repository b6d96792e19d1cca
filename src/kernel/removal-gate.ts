import type { ClockWatch } from './clock-watch.js';

/**
 * Decides whether expired data may be removed, for parts that are opened before the clock watch. Nothing may be removed
 * until the clock watch starts.
 */
export class RemovalGate implements Pick<ClockWatch, 'mayRemoveByAge'> {
  private clockWatch: Pick<ClockWatch, 'mayRemoveByAge'> | undefined;

  /** Delegates all further decisions to the clock watch. */
  open(clockWatch: Pick<ClockWatch, 'mayRemoveByAge'>): void {
    this.clockWatch = clockWatch;
  }

  mayRemoveByAge(): boolean {
    return this.clockWatch?.mayRemoveByAge() ?? false;
  }
}
