/** Time after a message at which the inbox is read: the service has evaluated the change then. */
const minDelayMs = 1_500;
/** Minimum time between two reads, however many entries arrive. */
const pauseMs = 20_000;
/** Minimum time between two reads for a user without watches: nothing arrives until another browser adds one. */
const withoutWatchesMs = 10 * 60_000;

interface InboxState {
  readonly nowMs: number;
  /** Number of watches of the user. */
  readonly watches: number;
  /** When the inbox was last read. */
  readonly readMs: number;
  /** When it was last read because of a message. */
  readonly refreshedMs: number;
}

/** Returns after how many milliseconds the inbox is read because of a live message; undefined: not because of this one. */
export function refreshDelayMs({ nowMs, watches, readMs, refreshedMs }: InboxState): number | undefined {
  if (watches === 0 && nowMs - readMs < withoutWatchesMs) return undefined;
  const restMs = refreshedMs + pauseMs - nowMs;
  // A longer rest means that the clock was set back.
  return restMs > pauseMs ? minDelayMs : Math.max(minDelayMs, restMs);
}
