import type { Entry, GivenEntryDocument, NewEntryDocument } from './entry.js';
import type { StoredEntry } from './entry-json.js';

export interface EntryReader {
  /** Returns the current version of the entry; undefined when no entry has this id. */
  find(id: number): Promise<StoredEntry | undefined>;
  /** Returns the size of the current version as JSON in bytes, without reading it; undefined when there is no entry. */
  findSize(id: number): Promise<number | undefined>;
  /**
   * Returns the id of the entry that this one replies to; undefined when it is not a reply, or there is no such entry.
   */
  findParent(id: number): Promise<number | undefined>;
  /**
   * Returns a version of an entry as the API shows it, JSON in UTF-8. An annotation replaces a version without
   * archiving it; for such a version, the one that replaced it is returned. Undefined when there is none.
   */
  findJson(id: number, revision: number): Promise<Uint8Array | undefined>;
  /** Returns a version by the number that it shows, the current one included; undefined when there is none. */
  findVersion(id: number, number: number): Promise<StoredEntry | undefined>;
  /** Lists the versions that edits archived, newest first, read one at a time; none when never edited or unknown. */
  listArchived(id: number): AsyncIterable<StoredEntry>;
}

/** How a new entry came about. */
export interface EntryOrigin {
  /** Id of the entry that it replies to. */
  readonly inReplyTo?: number | undefined;
}

export interface EntryStore extends EntryReader {
  /** Stores a new entry as version 1 under the next id. Ids increase and are never reused. */
  insert(draft: NewEntryDocument, origin?: EntryOrigin): Promise<StoredEntry>;
  /**
   * Stores a new entry as version 1 under the id that it brings. Ids that are given later are above it.
   * @throws Fault conflict `entry.id-taken` when an entry has this id
   */
  insertGiven(draft: GivenEntryDocument, origin?: EntryOrigin): Promise<StoredEntry>;
  /**
   * Returns the entry with which an earlier version of the program stored this key of `owner`, as it was before any
   * edit; undefined when there is none.
   */
  findCreatedUnder(owner: string, idempotencyKey: string): Promise<StoredEntry | undefined>;
  /**
   * Archives the stored entry and replaces it by `next`, as the next version, whatever version `next` names. The entry
   * must exist.
   */
  edit(next: Entry): Promise<StoredEntry>;
  /**
   * Replaces the stored entry by `next`, as the next version, without an archived copy: this is not an edit. The entry
   * must exist, and `next` must contain everything that it contains: an annotation only adds.
   * @param former the stored entry, as it was read in this transaction; the ledger proves that `next` extends it.
   *   Undefined: only the group was added
   */
  annotate(next: Entry, former?: Entry): Promise<StoredEntry>;
}
