/** Something that was done or tried, for those who have to answer for it. */
export interface AuditRecord {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** As they gave it, for a sign-in that failed; empty when nobody was named. */
  readonly userName: string;
  /** Such as `sign-in`, or method and route of a request. */
  readonly action: string;
  /** What it was done to: a path without its query, or the name of a scheme or token. */
  readonly target: string;
  /** The address that it came from. */
  readonly from: string;
  readonly outcome: AuditOutcome;
  /** Why not, as a code or a sentence; empty when there is nothing to add. */
  readonly detail: string;
}

export const auditOutcomes = ['done', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

export interface StoredAuditRecord extends AuditRecord {
  /** Grows with each record. */
  readonly id: number;
}

export interface AuditFilter {
  readonly userName?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Bounds are inclusive, in milliseconds since the epoch. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  /** Only records before this one. */
  readonly beforeId?: number | undefined;
}

export interface AuditReader {
  /** The records that pass, newest first. */
  list(filter: AuditFilter, limit: number): Promise<StoredAuditRecord[]>;
}

export interface AuditStore extends AuditReader {
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Removes at most `limit` of the records before `atMs`, the oldest first; resolves to their number. */
  removeBefore(atMs: number, limit: number): Promise<number>;
}
