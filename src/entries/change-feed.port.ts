/**
 * Kinds of changes of an entry. `annotated` is a change that is not an edit: the entry joined a group, received the
 * values of its devices or the samples of a plot, grew by a block, or its run was marked as abandoned.
 */
export const changeKinds = ['created', 'edited', 'annotated'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface Change {
  readonly kind: ChangeKind;
  readonly entryId: number;
  /** Revision of the entry after the change. */
  readonly revision: number;
  /** Whether connected clients are notified; false at the request of the author. */
  readonly notify: boolean;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export interface RecordedChange extends Change {
  /** Position in the feed. Positions increase with every change, may have gaps and are never reused. */
  readonly sequence: number;
}

/** A change whose content cannot be read; its entry is unknown. */
export interface DamagedChange {
  readonly kind: 'damaged';
  readonly sequence: number;
}

/** Item at a position of the feed. Readers must not skip a damaged change silently. */
export type FeedItem = RecordedChange | DamagedChange;

export function isIntact(item: FeedItem): item is RecordedChange {
  return item.kind !== 'damaged';
}

export interface ChangeFeedReader {
  /**
   * Lists at most `limit` changes after the position `sequence`, oldest first. Includes each damaged change as a
   * `DamagedChange`.
   */
  listAfter(sequence: number, limit: number): Promise<FeedItem[]>;
  /** Counts the changes after the position `sequence`, at most `limit`. */
  countAfter(sequence: number, limit: number): Promise<number>;
  /** Returns the position of the newest change; 0 when the feed is empty. */
  newest(): Promise<number>;
  /**
   * Returns the time of the oldest change that is stored but not listed yet, because an earlier one may still appear.
   * In milliseconds since the epoch. Undefined: there is none.
   */
  heldBackSinceMs(): Promise<number | undefined>;
  /** Returns the secret that encrypts positions for readers. It never changes. */
  secret(): Promise<string>;
}

export interface ChangeFeed extends ChangeFeedReader {
  append(change: Change): Promise<void>;
}
