/**
 * The storage as one part of the program may use it: `Transaction` names the stores that it may write to, `Committed`
 * those that it may read.
 */
export interface UnitOfWork<Transaction, Committed> {
  /** Reads committed data only. Every read sees all writes that were acknowledged before it. */
  readonly committed: Committed;
  /**
   * Runs `work` in its own transaction, after all earlier ones, and resolves once it is on stable storage. When `work`
   * throws, it is rolled back and the promise rejects with its error. Several writes may share one commit; the failure
   * of one does not affect the others. `work` must await nothing but the transaction and, when it is long, turns of the
   * event loop; and have no effect outside it: it may run a second time when the shared commit failed.
   * @throws Fault full `storage.full`; unavailable `storage.unavailable`
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Storage from which some data can be removed even when the disk is full. */
export interface UnitOfRemoval<Removal> {
  /** As `write`, but also works on a full disk, unless not even a few pages are free. */
  remove<T>(work: (tx: Removal) => Promise<T>): Promise<T>;
}

/** Which data a commit changed, for the listeners that process it. */
export interface Commit {
  /** Data of entries that the search index contains. */
  readonly entries: boolean;
  /** Ids of these entries; undefined: any may have changed. */
  readonly entryIds: readonly number[] | undefined;
  /** The change feed. */
  readonly feed: boolean;
  /** Entries with attachments, whose text may not have been extracted. */
  readonly files: boolean;
  /** The catalogue or the templates. */
  readonly catalog: boolean;
}

export interface CommitNotifier {
  /** Calls `listener` after each commit; returns a function that removes it. A listener must not throw. */
  onCommit(listener: (commit: Commit) => void): () => void;
}
