import type { Entry } from '../entries/entry.js';
import type { Redaction, StoredRedaction } from '../entries/redaction.js';
import type { ArchivedEntry } from '../entries/redaction-store.port.js';
import { type DocumentDamageReports, type DocumentRow, parseIntact } from './stored-document.js';

/** Key in the table `store` for the list of files still to be removed. */
export const filesToRemoveKey = 'redacted-files';

export interface RedactionRow extends DocumentRow {
  readonly number: number;
}

export interface ArchivedRow extends DocumentRow {
  readonly version: number;
  readonly salts: string | null;
}

export const redactionSubject = (number: number): string => `redaction/${number}`;

export function toRedaction(reports: DocumentDamageReports, row: RedactionRow): StoredRedaction | undefined {
  const redaction = parseIntact<Redaction>(reports, `redaction ${row.number}`, row);
  return redaction && { ...redaction, number: row.number };
}

/** Returns the archived version of a row; undefined if it is damaged. */
export function toArchived(
  reports: DocumentDamageReports,
  entryId: number,
  row: ArchivedRow,
): ArchivedEntry | undefined {
  const entry = parseIntact<Entry>(reports, `entry ${entryId}`, row);
  return entry && { revision: row.version, entry, salts: row.salts ?? '' };
}
