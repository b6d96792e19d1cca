/** The account that sent a write. */
export interface Writer {
  /** Name of the provider that authenticated it. */
  readonly scheme: string;
  readonly userName: string;
}

/** A write that was done under a key. */
export interface RecordedWrite {
  /** Identifies the request: another one under the same key is a mistake. */
  readonly fingerprint: string;
  /** Its result, as JSON. */
  readonly result: string;
}

export interface RepeatReader {
  /** Returns the write that the account did under this key; undefined when there is none, or it was removed. */
  find(writer: Writer, key: string): Promise<RecordedWrite | undefined>;
}

export interface RepeatStore extends RepeatReader {
  /**
   * Records a write under a key that the account has not used. Of an account's writes with results of more than 64
   * bytes, only the newest 1,000 are kept, and fewer when their results exceed 8 MB together.
   */
  put(writer: Writer, key: string, write: RecordedWrite, atMs: number): Promise<void>;
  /** Removes at most `limit` writes that were recorded before; resolves to the number removed. */
  removeBefore(atMs: number, limit: number): Promise<number>;
}

/** The part of a transaction that makes its write repeatable. */
export interface RepeatTransaction {
  readonly repeats: RepeatStore;
}
