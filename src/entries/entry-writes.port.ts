import type { SearchableEntry } from './searchable-entry.js';

/** An entry in the order of the writes. Only the last write of each entry is in it. */
export interface EntryWrite {
  readonly id: number;
  /** Revision of the entry after the write. A write that only adds the text of a file does not increase it. */
  readonly revision: number;
  /** Position in the sequence. Opaque: to be stored and passed back, not to be interpreted. */
  readonly position: string;
  /** Higher than that of each earlier write of this entry, so that an index can tell which of two writes is the later one. */
  readonly order: number;
}

/** A write that is committed, which may not be in the sequence yet. */
export interface CommittedEntryWrite extends EntryWrite {
  /** False while a write that is not committed yet may still appear before this one. */
  readonly isFinal: boolean;
}

/**
 * The sequence of entry writes, which a search index follows: creating, editing and annotating an entry, and adding the
 * text of one of its files, each move the entry to the end. No write appears before one that was listed earlier, also
 * when several processes write at the same time.
 */
export interface EntryWriteReader {
  /** Returns the position of the newest write, or the one at which the sequence begins. */
  newestPosition(): Promise<string>;
  /**
   * Lists at most `limit` entries last written after a position, in the order of those writes.
   * @param position undefined: from the beginning
   * @throws Error when the position does not have the form of this port; `contains` tells whether it is from this
   *   storage
   */
  listAfter(position: string | undefined, limit: number): Promise<EntryWrite[]>;
  /**
   * As `listAfter`, followed by the writes that are committed and not in the sequence yet: every acknowledged write is
   * in one of the two. The position of one that is not final may be used for the next page, and must not be stored.
   */
  listCommittedAfter(position: string | undefined, limit: number): Promise<CommittedEntryWrite[]>;
  /** Counts the entries last written after a position. */
  countAfter(position: string | undefined): Promise<number>;
  /**
   * Returns whether this storage contains all writes up to a position. If not, it was restored from an older copy, and
   * an index that has followed up to there must be rebuilt.
   */
  contains(position: string): Promise<boolean>;
  /** Returns the current version of an entry as the index sees it; undefined when there is none. */
  findSearchable(id: number): Promise<SearchableEntry | undefined>;
  /** Lists the archived versions of an entry, from a revision onwards, oldest first; none when there is no such entry. */
  listSearchableFrom(id: number, revision: number): Promise<SearchableEntry[]>;
}
