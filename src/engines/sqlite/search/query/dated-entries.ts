/** An entry with its creation date. */
export interface DatedEntry {
  readonly id: number;
  readonly created_ms: number;
}

/** Entries in creation order, ties by id. */
export interface DatedEntries {
  readonly count: number;
  /** Returns the number of entries created before a time. */
  countBefore(ms: number): number;
  /** Returns entries by their position in this list. */
  slice(from: number, size: number): readonly DatedEntry[];
}

export const byCreation = (one: DatedEntry, other: DatedEntry): number =>
  one.created_ms - other.created_ms || one.id - other.id;

/** Returns the position of the first entry created at or after a time, in a list in creation order. */
export function firstSince(entries: readonly DatedEntry[], ms: number): number {
  let [start, end] = [0, entries.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((entries[middle] as DatedEntry).created_ms < ms) start = middle + 1;
    else end = middle;
  }
  return start;
}

/** @param entries in creation order */
export function toDatedEntries(entries: readonly DatedEntry[]): DatedEntries {
  return {
    count: entries.length,
    countBefore: (ms) => firstSince(entries, ms),
    slice: (from, size) => entries.slice(from, from + size),
  };
}

const latestMs = 8.64e15;

/**
 * Returns the ids at these positions of the merged lists, in creation order. Preceding entries are counted without
 * being read.
 */
export function mergedSlice(lists: readonly DatedEntries[], from: number, size: number): number[] {
  const countBefore = (ms: number) => lists.reduce((sum, list) => sum + list.countBefore(ms), 0);
  // Latest time before which at most `from` entries were created.
  let [start, end] = [-latestMs, latestMs];
  while (start < end) {
    const middle = start + Math.ceil((end - start) / 2);
    if (countBefore(middle) <= from) start = middle;
    else end = middle - 1;
  }
  const skip = from - countBefore(start);
  return lists
    .flatMap((list) => [...list.slice(list.countBefore(start), skip + size)])
    .sort(byCreation)
    .slice(skip, skip + size)
    .map(({ id }) => id);
}
