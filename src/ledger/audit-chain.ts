import { hash } from 'node:crypto';
import { auditPrefix, type LedgerRecord } from './ledger-record.js';

/** The parts of an audit record that its hash covers. */
export interface ChainedRow {
  readonly id: number;
  readonly atMs: number;
  readonly userName: string;
  readonly action: string;
  readonly outcome: string;
  readonly document: string;
}

/** A record of the audit log with its hash. */
export interface ChainLink {
  readonly id: number;
  readonly hash: string;
}

/**
 * Stored ends of the chain: `head` is the newest record, `base` the newest record that was removed because of its age,
 * and `entered` the newest record that the ledger names.
 */
export type ChainPart = 'head' | 'base' | 'entered';

/** Computes the hash of an audit record: SHA-256 over the hash of the previous record and its own canonical JSON. */
export function hashAuditRow(previous: string, { id, atMs, userName, action, outcome, document }: ChainedRow): string {
  const row = JSON.stringify({ action, atMs, document, id, outcome, userName });
  return hash('sha256', `audit ${previous} ${row}`, 'hex');
}

/** Returns the ledger record that enters the newest record of the audit log. */
export function auditRecord({ id, hash: digest }: ChainLink): LedgerRecord {
  return { kind: 'audit', entryId: 0, version: 0, subject: `${auditPrefix}${id}`, atMs: Date.now(), digest };
}
