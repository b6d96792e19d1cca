/** The last visit of a user to the list, and what the user had read by then. */
export interface Visit {
  /** Entries created after this time are new; undefined at the first visit. */
  readonly readUpToMs: number | undefined;
  readonly seenMs: number;
  /** The new entries that were opened. */
  readonly openedIds: readonly number[];
}

/** Minimum absence before a new visit begins: a reload or a glance elsewhere is too short. */
const pauseMs = 30 * 60_000;
const maxOpened = 500;

/**
 * Returns the visit that begins now. After a pause, everything that existed at the end of the last visit counts as
 * read.
 */
export function beginVisit(last: Visit | undefined, nowMs: number): Visit {
  if (!last) return { readUpToMs: undefined, seenMs: nowMs, openedIds: [] };
  if (nowMs - last.seenMs < pauseMs) return { ...last, seenMs: nowMs };
  return { readUpToMs: last.seenMs, seenMs: nowMs, openedIds: [] };
}

export function withOpened(visit: Visit, id: number): Visit {
  if (visit.openedIds.includes(id)) return visit;
  return { ...visit, openedIds: [...visit.openedIds, id].slice(-maxOpened) };
}

/** Reads a stored visit; undefined if it is unreadable. */
export function parseVisit(value: unknown): Visit | undefined {
  const { readUpToMs, seenMs, openedIds } = (value ?? {}) as Record<string, unknown>;
  if (typeof seenMs !== 'number') return undefined;
  const ids = Array.isArray(openedIds) ? openedIds.filter((id): id is number => typeof id === 'number') : [];
  return {
    readUpToMs: typeof readUpToMs === 'number' ? readUpToMs : undefined,
    seenMs,
    openedIds: ids.slice(-maxOpened),
  };
}
