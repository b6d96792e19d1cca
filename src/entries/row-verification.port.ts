import type { UnitOfWork } from '../kernel/unit-of-work.js';

/** Kinds of rows without documents, verified one after the other: extracted texts, then the change feed. */
export type VerifiedRows = 'texts' | 'changes';

/** Identifies a row: the checksum of the file of a text, the position of a change. */
export type RowKey = string | number;

/** Progress of the verification of all rows. */
export interface RowProgress {
  readonly rows: VerifiedRows;
  /** The last row that was verified in the current pass; undefined at the beginning of its kind. */
  readonly after?: RowKey | undefined;
  /** End of the last complete pass, in milliseconds since the epoch; undefined before the first. */
  readonly completedMs?: number | undefined;
}

export interface VerifiedBatch {
  /** The last row of the batch, after which there may be more; undefined: all were verified. */
  readonly last: RowKey | undefined;
  /** Rows that an earlier version of the program stored without a checksum. */
  readonly unrecorded: readonly RowKey[];
}

export interface RowVerificationReader {
  /**
   * Compares a limited number of the next rows with their checksums, and reports damage.
   * @param after the row after which the batch begins; undefined: the first
   */
  verify(rows: VerifiedRows, after: RowKey | undefined): Promise<VerifiedBatch>;
  /** Returns undefined before the first pass. */
  findProgress(): Promise<RowProgress | undefined>;
}

export interface RowVerificationStore extends RowVerificationReader {
  /** Records the checksums of rows that have none. */
  record(rows: VerifiedRows, keys: readonly RowKey[]): Promise<void>;
  storeProgress(progress: RowProgress): Promise<void>;
}

export type RowVerificationStorage = UnitOfWork<
  { readonly rowVerification: RowVerificationStore },
  { readonly rowVerification: RowVerificationReader }
>;
