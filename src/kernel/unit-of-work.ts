/**
 * Storage as one folder of the program sees it: `Transaction` names the stores that it may write to, `Committed` those
 * that it may read.
 */
export interface UnitOfWork<Transaction, Committed> {
  /** What is committed, and nothing else. A write that was acknowledged is seen by every later read. */
  readonly committed: Committed;
  /**
   * Runs `work` in a transaction of its own, one after the other, and resolves once it is on stable storage. When
   * `work` throws, nothing of it remains and the promise rejects with what it threw. Several writes may share one
   * commit; none sees or suffers the failure of another. `work` awaits nothing but the transaction, and has no effect
   * outside it: it may be run a second time when the shared commit failed.
   * @throws Fault full `storage.full`; unavailable `storage.unavailable`
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Storage in which some things can be removed even when the disk is full. */
export interface UnitOfRemoval<Removal> {
  /** As `write`, and done on a full disk too, unless there is not even room for a few pages. */
  remove<T>(work: (tx: Removal) => Promise<T>): Promise<T>;
}

/** What a commit changed, as far as others wait for it. */
export interface Commit {
  /** What the search index reads of entries. */
  readonly entries: boolean;
  /** The change feed. */
  readonly feed: boolean;
  /** Entries with attachments, whose text may not have been extracted. */
  readonly files: boolean;
}

export interface CommitSource {
  /** Calls `listener` after each commit; returns the way to stop that. A listener must not throw. */
  onCommit(listener: (commit: Commit) => void): () => void;
}
