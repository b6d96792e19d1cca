/** Wall-clock time, in milliseconds since the epoch. It jumps when the clock of the machine is set. */
export interface Clock {
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Time that only runs forward, for durations within the process. */
export interface MonotonicClock {
  /** Milliseconds since a moment that differs from process to process. */
  elapsedMs(): number;
}

export const monotonicClock: MonotonicClock = { elapsedMs: () => performance.now() };
