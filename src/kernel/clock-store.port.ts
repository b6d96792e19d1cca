/** State of the system clock, stored so that a jump is noticed across a restart. */
export interface ClockState {
  /** The newest time that the clock has shown, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** Set while a jump is not confirmed. */
  readonly suspicion?: ClockSuspicion;
}

export interface ClockSuspicion {
  /** Time that the clock would show if it had not jumped, in milliseconds since the epoch. */
  readonly expectedMs: number;
  /** How long the service has run since the jump. */
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
