/** State of the system clock, stored so that a jump across a restart is detected. */
export interface ClockState {
  /** Latest reading of the clock, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** Unconfirmed jump; undefined: there is none. */
  readonly suspicion?: ClockSuspicion;
}

export interface ClockSuspicion {
  /** Time that the clock would show without the jump, in milliseconds since the epoch. */
  readonly expectedMs: number;
  /** Running time of the service since the jump. */
  readonly observedMs: number;
}

export interface ClockReader {
  /** Returns the stored state; undefined if there is none. */
  find(): Promise<ClockState | undefined>;
}

export interface ClockStore extends ClockReader {
  /** Replaces the stored state. */
  put(state: ClockState): Promise<void>;
}
