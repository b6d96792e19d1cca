/** Wall-clock time, in milliseconds since the epoch. It jumps when the system clock is set. */
export interface Clock {
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Time that never goes backwards, for durations within the process. */
export interface MonotonicClock {
  /** Returns milliseconds since a starting point that differs from process to process. */
  elapsedMs(): number;
}

export const monotonicClock: MonotonicClock = { elapsedMs: () => performance.now() };
