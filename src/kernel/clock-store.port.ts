/** What is known of the system clock, stored so that a jump is noticed across a restart. */
export interface ClockState {
  /** The newest time that the clock has shown, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** Set while a jump is not confirmed. */
  readonly suspicion?: ClockSuspicion;
}

export interface ClockSuspicion {
  /** What the clock would show had it not jumped, in milliseconds since the epoch. */
  readonly expectedMs: number;
  /** For how long the service has run since the jump. */
  readonly observedMs: number;
}

export interface ClockReader {
  /** Returns the stored state; undefined when there is none. */
  find(): Promise<ClockState | undefined>;
}

export interface ClockStore extends ClockReader {
  /** Replaces the stored state. */
  put(state: ClockState): Promise<void>;
}
