import type { Extent } from '../ledger/extents.js';
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
  /** Returns the version with this number, which may be the current one; undefined when there is none. */
  findVersion(id: number, number: number): Promise<StoredEntry | undefined>;
  /** Lists the versions that edits archived, newest first, reading one at a time. Empty for an unknown entry. */
  listArchived(id: number): AsyncIterable<StoredEntry>;
}

/** Origin of a new entry. */
export interface EntryOrigin {
  /** Id of the entry that it replies to. */
  readonly inReplyTo?: number | undefined;
}

export interface EntryStore extends EntryReader {
  /** Stores a new entry as version 1 under the next id. Ids increase and are never reused. */
  insert(draft: NewEntryDocument, origin?: EntryOrigin): Promise<StoredEntry>;
  /** Reserves the next id for an entry that is stored later, by `insertGiven`. */
  reserveId(): Promise<number>;
  /**
   * Stores a new entry as version 1 under its own id. Ids that are assigned later are higher.
   * @throws Fault conflict `entry.id-taken` when an entry has this id
   */
  insertGiven(draft: GivenEntryDocument, origin?: EntryOrigin): Promise<StoredEntry>;
  /**
   * Returns the entry that an earlier version of the program stored under this key of `owner`, as it was before any
   * edit; undefined when there is none.
   */
  findCreatedUnder(owner: string, idempotencyKey: string): Promise<StoredEntry | undefined>;
  /**
   * Archives the stored entry and replaces it with `next`, as the next version, ignoring `next.version`. The entry must
   * exist.
   */
  edit(next: Entry): Promise<StoredEntry>;
  /**
   * Replaces the stored entry with `next`, which gets the next revision, without archiving it. The entry must exist,
   * and `next` must contain all of it, because an annotation only adds.
   * @param former the stored entry, as it was read in this transaction; the ledger proves that `next` extends it.
   *   Undefined: the ledger can prove only that a group was added
   */
  annotate(next: Entry, former?: StoredEntry): Promise<StoredEntry>;
  /** Lists the extents of the versions since the last edit, which the current version extends, oldest first. */
  listExtents(id: number): Promise<readonly Extent[]>;
}
