import type { SearchableEntry } from './searchable-entry.js';

/** The last write of an entry. Earlier writes of the same entry are not in the sequence. */
export interface EntryWrite {
  readonly id: number;
  /** Revision of the entry after the write. A write that only adds the text of a file does not increase it. */
  readonly revision: number;
  /** Position in the sequence. It is opaque: callers may store it and pass it back, but must not interpret it. */
  readonly position: string;
  /** Increases with each write of this entry, so that an index can tell which of two writes is the later one. */
  readonly order: number;
}

/** A write that is committed, which may not be in the sequence yet. */
export interface CommittedEntryWrite extends EntryWrite {
  /** False while a write that is not committed yet may still appear before this one. */
  readonly isFinal: boolean;
}

/**
 * The sequence of entry writes, which a search index follows. Creating, editing or annotating an entry, and adding the
 * text of one of its files, move the entry to the end. A write never appears before one that was already listed, even
 * when several processes write concurrently.
 */
export interface EntryWriteReader {
  /** Returns the position of the newest write; without writes, the beginning of the sequence. */
  newestPosition(): Promise<string>;
  /**
   * Lists at most `limit` entries last written after a position, in the order of those writes.
   * @param position undefined: from the beginning
   * @throws Error when the position does not have the form of this port; `contains` tells whether it is from this
   *   storage
   */
  listAfter(position: string | undefined, limit: number): Promise<EntryWrite[]>;
  /**
   * Lists writes as `listAfter` does, then the committed writes that are not in the sequence yet, so that no
   * acknowledged write is missing. The position of a write that is not final may be used for the next page, but must
   * not be stored.
   */
  listCommittedAfter(position: string | undefined, limit: number): Promise<CommittedEntryWrite[]>;
  /** Counts the entries last written after a position. */
  countAfter(position: string | undefined): Promise<number>;
  /**
   * Returns whether this storage contains all writes up to a position. If not, it was restored from an older copy, and
   * an index that has reached this position must be rebuilt.
   */
  contains(position: string): Promise<boolean>;
  /** Returns the current version of an entry as the index sees it; undefined when there is none. */
  findSearchable(id: number): Promise<SearchableEntry | undefined>;
  /** Lists the archived versions of an entry from a revision onwards, oldest first; empty for an unknown entry. */
  listSearchableFrom(id: number, revision: number): Promise<SearchableEntry[]>;
}
