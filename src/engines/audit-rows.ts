import type { AuditRecord } from '../auth/audit-store.port.js';
import { type ChainedRow, type ChainLink, hashAuditRow } from '../ledger/audit-chain.js';
import { noHash } from '../ledger/ledger-record.js';
import { checksumOf } from './stored-document.js';

/** Link before the first record of the chain. */
export const noLink: ChainLink = { id: 0, hash: noHash };

/** Row of a new audit record. */
export interface NewAuditRow extends ChainedRow {
  readonly crc: number;
  readonly hash: string;
}

/** Encodes the audit record that follows the newest one. */
export function chainAuditRow(record: AuditRecord, id: number, previous: string): NewAuditRow {
  const document = JSON.stringify(record);
  const { userName, action, outcome } = record;
  const row = { id, atMs: Math.round(record.atMs), userName, action, outcome, document };
  return { ...row, crc: checksumOf(document), hash: hashAuditRow(previous, row) };
}

/** Columns of an audit record that its removal depends on. */
export interface ExpiringRow {
  readonly id: number;
  readonly at_ms: number;
  /** Null: stored by an earlier version of the program. */
  readonly hash: string | null;
}

/**
 * Selects the records to remove: those stored before the first record that is too young. The chain therefore loses only
 * its beginning.
 */
export function findExpired(
  rows: readonly ExpiringRow[],
  atMs: number,
): { readonly last: number; readonly base: ChainLink | undefined } | undefined {
  const young = rows.findIndex(({ at_ms: rowMs }) => rowMs >= atMs);
  const expired = young < 0 ? rows : rows.slice(0, young);
  const last = expired.at(-1);
  if (!last) return undefined;
  const chained = expired.findLast((row) => row.hash !== null);
  return { last: last.id, base: chained && { id: chained.id, hash: String(chained.hash) } };
}
