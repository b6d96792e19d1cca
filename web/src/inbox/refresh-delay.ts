/** Minimum delay between a message and the read: by then, the service has evaluated the change. */
const minDelayMs = 1_500;
/** Minimum time between two reads, however many entries arrive. */
const pauseMs = 20_000;
/** Minimum time between two reads for a user without watches: nothing arrives until another browser adds one. */
const withoutWatchesMs = 10 * 60_000;

interface InboxState {
  readonly nowMs: number;
  /** Number of watches of the user. */
  readonly watches: number;
  /** Time of the last read of the inbox. */
  readonly readMs: number;
  /** Time of the last read that a message caused. */
  readonly refreshedMs: number;
}

/** Returns the delay after which a live message causes a read of the inbox; undefined: it causes none. */
export function refreshDelayMs({ nowMs, watches, readMs, refreshedMs }: InboxState): number | undefined {
  if (watches === 0 && nowMs - readMs < withoutWatchesMs) return undefined;
  const restMs = refreshedMs + pauseMs - nowMs;
  // A longer rest means that the clock was set back.
  return restMs > pauseMs ? minDelayMs : Math.max(minDelayMs, restMs);
}
