/**
 * Storage as one part of the program may use it: `Transaction` contains the stores that it may write to, `Committed`
 * those that it may read.
 */
export interface UnitOfWork<Transaction, Committed> {
  /** Reads only committed data. Every read sees all writes that were acknowledged before it. */
  readonly committed: Committed;
  /**
   * Runs `work` in its own transaction, after all earlier ones, and resolves once it is on stable storage. If `work`
   * throws, the transaction is rolled back and the promise rejects with the error. Several writes may share one commit;
   * the failure of one does not affect the others. `work` must await only the transaction and, if it is long, turns of
   * the event loop. It must have no other effects, because it may run again if the shared commit failed.
   * @throws Fault full `storage.full`; unavailable `storage.unavailable`
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Storage from which some data can be removed even if the disk is full. */
export interface UnitOfRemoval<Removal> {
  /** Runs `work` like `write`, but also on a full disk, unless not even a few pages are free. */
  remove<T>(work: (tx: Removal) => Promise<T>): Promise<T>;
}

/** Kinds of data that a commit changed, for the listeners that process them. */
export interface Commit {
  /** Whether entry data changed that the search index contains. */
  readonly entries: boolean;
  /** Ids of these entries; undefined: any entry may have changed. */
  readonly entryIds: readonly number[] | undefined;
  /** Whether the change feed has new changes. */
  readonly feed: boolean;
  /** Whether entries gained attachments whose text may not be extracted yet. */
  readonly files: boolean;
  /** Whether the catalogue or the templates changed. */
  readonly catalog: boolean;
}

export interface CommitNotifier {
  /** Calls `listener` after each commit; returns a function that removes it. A listener must not throw. */
  onCommit(listener: (commit: Commit) => void): () => void;
}
