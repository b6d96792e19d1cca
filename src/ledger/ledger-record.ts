import { hash } from 'node:crypto';

/**
 * Kind of a record. `created`, `edited`, `annotated`: an entry was stored; `recorded`: it was found stored without a
 * record, by an earlier version of the program; `catalog`, `catalog-removed`: an item of the catalogue was stored or
 * removed; `redacted`: an administrator removed content; `audit`: the newest hash of the audit log; `complete`:
 * everything stored by an earlier version of the program is recorded.
 */
export type RecordKind =
  | 'created'
  | 'edited'
  | 'annotated'
  | 'recorded'
  | 'catalog'
  | 'catalog-removed'
  | 'redacted'
  | 'audit'
  | 'complete';

/** A change that does not have its position in the ledger yet. */
export interface LedgerRecord {
  readonly kind: RecordKind;
  /** Id of the entry, which may be 0; also 0 if the record is not about an entry: see `isAboutEntry`. */
  readonly entryId: number;
  /** Revision of the entry after the change; 0 unless it is about an entry. Proofs call it `version`. */
  readonly version: number;
  /** Subject if the record is not about an entry, such as `tags/Vacuum`; otherwise empty. */
  readonly subject: string;
  /** Time of the change, in milliseconds since the epoch. */
  readonly atMs: number;
  /** SHA-256 of the stored content, in hexadecimal. */
  readonly digest: string;
}

/** Whether a record is about an entry, whose id may be 0 when it was imported. */
export function isAboutEntry({ version }: Pick<LedgerRecord, 'version'>): boolean {
  return version > 0;
}

/** Subject of the record which says that everything stored by earlier versions of the program is recorded. */
export const completeSubject = 'ledger/complete';
/** Prefix of the subjects of `audit` records; the number of the newest record of the audit log follows. */
export const auditPrefix = 'audit/';

/** A record in the order in which records enter the ledger. */
export interface StoredRecord extends LedgerRecord {
  /** Positions increase, may have gaps, and are never reused. */
  readonly sequence: number;
}

/** The hash before the first record. */
export const noHash = '0'.repeat(64);

/** Returns the record as it is hashed: canonical JSON (RFC 8785). */
export function encodeRecord(record: LedgerRecord, number: number, previous: string): string {
  return JSON.stringify({
    at: record.atMs,
    digest: record.digest,
    entry: record.entryId,
    kind: record.kind,
    number,
    previous,
    subject: record.subject,
    version: record.version,
  });
}

/**
 * Returns the hash of a record, which is a leaf of the tree (RFC 6962, 2.1) and is named by the next record.
 * @param number position of the record in the ledger, from 0
 * @param previous the hash of the record before it
 */
export function hashRecord(record: LedgerRecord, number: number, previous: string): string {
  return hash('sha256', `\0${encodeRecord(record, number, previous)}`, 'hex');
}

/** Computes the digest of an item of the catalogue. It has no salt, because such items are never redacted. */
export function digestItem(document: string): string {
  return hash('sha256', `catalog ${document}`, 'hex');
}
