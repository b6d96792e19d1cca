/** Minimum delay between a message and the read: by then, the service has evaluated the change. */
const minDelayMs = 1_500;

interface RefreshTimes {
  readonly nowMs: number;
  /** Time of the last read that a message caused. */
  readonly refreshedMs: number;
  /** Minimum time between two reads, however many entries arrive. */
  readonly pauseMs: number;
}

/** Returns the delay after which a live message causes a read. */
export function refreshDelayMs({ nowMs, refreshedMs, pauseMs }: RefreshTimes): number {
  const restMs = refreshedMs + pauseMs - nowMs;
  // A longer rest means that the clock was set back.
  return restMs > pauseMs ? minDelayMs : Math.max(minDelayMs, restMs);
}

/** Minimum time between two reads for a user without watches: nothing arrives until another browser adds one. */
const withoutWatchesMs = 10 * 60_000;

interface InboxState {
  readonly nowMs: number;
  /** Number of watches of the user; undefined: not known. */
  readonly watches: number | undefined;
  /** Time of the last read of the inbox. */
  readonly readMs: number;
}

/** Whether a change of an entry may have brought something into the inbox. */
export function mayBeInInbox({ nowMs, watches, readMs }: InboxState): boolean {
  return watches !== 0 || nowMs - readMs >= withoutWatchesMs;
}
