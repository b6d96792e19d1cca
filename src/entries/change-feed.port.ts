/** What happened to an entry. `annotated` is a change that is no edit: it joined a group. */
export type ChangeKind = 'created' | 'edited' | 'annotated';

export interface Change {
  readonly kind: ChangeKind;
  readonly entryId: number;
  /** Version of the entry after the change. */
  readonly version: number;
  /** False when its author asked that open clients are not told. */
  readonly notify: boolean;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export interface RecordedChange extends Change {
  /** Position in the feed: grows with every change, never reused; may have gaps. */
  readonly sequence: number;
}

export interface ChangeFeedReader {
  /** The changes after that position, oldest first, at most `limit`. */
  listAfter(sequence: number, limit: number): Promise<RecordedChange[]>;
  /** The position of the newest change; 0 when there is none. */
  newest(): Promise<number>;
}

export interface ChangeFeed extends ChangeFeedReader {
  append(change: Change): Promise<void>;
}
