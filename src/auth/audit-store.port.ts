/** An action that a user performed or attempted. */
export interface AuditRecord {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** User name; for a failed sign-in, the name as entered. Empty when the request named no user. */
  readonly userName: string;
  /** Name of the action, such as `sign-in`, or the method and route of a request. */
  readonly action: string;
  /** Target of the action: a path without its query, or the name of a provider or token. */
  readonly target: string;
  /** Network address of the client. */
  readonly from: string;
  readonly outcome: AuditOutcome;
  /** The reason of a failure, as a code or a sentence; empty when there is none. */
  readonly detail: string;
}

export const auditOutcomes = ['done', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

export interface StoredAuditRecord extends AuditRecord {
  /** Increases with each record. */
  readonly id: number;
}

export interface AuditFilter {
  readonly userName?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Inclusive, in milliseconds since the epoch. */
  readonly startMs?: number | undefined;
  /** Inclusive, in milliseconds since the epoch. */
  readonly endMs?: number | undefined;
  /** Exclusive upper bound of the ids of the records. */
  readonly beforeId?: number | undefined;
}

export interface AuditReader {
  /** Lists at most `limit` records that match the filter, newest first. */
  list(filter: AuditFilter, limit: number): Promise<StoredAuditRecord[]>;
}

export interface AuditStore extends AuditReader {
  /** Appends the records in this order; each gets a hash over itself and the record before it. */
  append(records: readonly AuditRecord[]): Promise<void>;
  /**
   * Removes at most `limit` records, oldest first, and stops at the first record from `atMs` or later. Resolves to the
   * number removed.
   */
  removeBefore(atMs: number, limit: number): Promise<number>;
  /**
   * Appends a record to the ledger that names the newest audit record. Returns false when the ledger already names it.
   */
  enterNewest(): Promise<boolean>;
}
