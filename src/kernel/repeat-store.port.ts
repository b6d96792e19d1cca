/** Account that sent a write. */
export interface Writer {
  /** Name of the provider that authenticated the account. */
  readonly scheme: string;
  readonly userName: string;
}

/** A completed write with an idempotency key. */
export interface RecordedWrite {
  /**
   * Digest of the request; a different request with the same key is a mistake. Empty: the digest was removed, because
   * it would allow guessing removed content.
   */
  readonly fingerprint: string;
  /** Result of the write, as JSON. */
  readonly result: string;
}

/** Beginnings of keys and of results, of which there must be at least one. */
export interface WriteBeginnings {
  readonly keys: readonly string[];
  readonly results: readonly string[];
}

export interface RepeatReader {
  /** Returns the account's write with this key; undefined if there is none or it was removed. */
  find(writer: Writer, key: string): Promise<RecordedWrite | undefined>;
}

export interface RepeatStore extends RepeatReader {
  /**
   * Records a write with a key that the account has not used. Of an account's writes with results of more than 64
   * bytes, only the newest 1,000 are kept, or fewer if their results exceed 8 MB in total.
   */
  put(writer: Writer, key: string, write: RecordedWrite, atMs: number): Promise<void>;
  /**
   * Removes the fingerprints of the writes whose keys or results begin with one of these texts. The writes stay
   * recorded. Omits writes with results of more than 64 bytes.
   */
  removeFingerprints(beginnings: WriteBeginnings): Promise<void>;
  /** Removes at most `limit` writes recorded before this time; resolves to the number removed. */
  removeBefore(atMs: number, limit: number): Promise<number>;
}

/** Part of a transaction that makes its write repeatable. */
export interface RepeatTransaction {
  readonly repeats: RepeatStore;
}
