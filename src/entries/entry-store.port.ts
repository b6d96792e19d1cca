import type { Entry } from './entry.js';
import type { StoredEntry } from './entry-json.js';

export interface EntryReader {
  /** The entry as it stands; undefined when there is none of that id. */
  find(id: number): Promise<StoredEntry | undefined>;
  /**
   * A version of an entry as the interface shows it, JSON in UTF-8; in place of one that an annotation has replaced,
   * what it has become. Undefined when there is none.
   */
  findJson(id: number, version: number): Promise<Uint8Array | undefined>;
  /** The earlier versions that edits archived, newest first, read one at a time; none when never edited or unknown. */
  listArchived(id: number): AsyncIterable<StoredEntry>;
}

/** Where a new entry comes from. */
export interface EntryOrigin {
  /** The entry that it answers. */
  readonly inReplyTo?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface EntryStore extends EntryReader {
  /**
   * Stores a new entry at version 1 under the next id. Ids grow and are never reused.
   * With an idempotency key, no second entry of the same owner can carry the same key.
   */
  insert(draft: Omit<Entry, 'id'>, origin?: EntryOrigin): Promise<StoredEntry>;
  /** The entry that `owner` created under that key, as it was before any edit; undefined when there is none. */
  findCreatedUnder(owner: string, idempotencyKey: string): Promise<StoredEntry | undefined>;
  /** Archives the entry as it is stored and puts `next` in its place, at the next version. It must be there. */
  edit(next: Entry): Promise<StoredEntry>;
  /**
   * Puts `next` in place of the stored entry at the next version, without an archived copy: not an edit. It must be
   * there, and `next` has all that it has: an annotation adds and takes nothing away.
   */
  annotate(next: Entry): Promise<StoredEntry>;
}
