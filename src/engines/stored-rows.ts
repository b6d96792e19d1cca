import { type Change, changeKinds, type DamagedChange, type RecordedChange } from '../entries/change-feed.port.js';
import { rowChecksum } from '../kernel/row-checksum.js';
import type { DocumentDamageReports } from './stored-document.js';

/** Rows without a document: extracted texts and changes. Each has a checksum of its values. */

export interface TextRow {
  readonly checksum: string;
  readonly text: string;
  readonly failure: string | null;
  /** Null if an earlier version of the program stored the row without a checksum. */
  readonly crc: number | null;
}

/** Replaces the characters that some engine cannot store, so that every engine stores the same text. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Returns the checksum stored with the text of a file. */
export function checksumOfText(text: string, failure: string | null): number {
  return rowChecksum([text, failure]);
}

export function isTextIntact({ text, failure, crc }: Omit<TextRow, 'checksum'>): boolean {
  return crc === null || crc === checksumOfText(text, failure);
}

/** Returns the text of a row; undefined, after a report, if it is damaged. The text is then extracted again. */
export function readText(
  reports: DocumentDamageReports,
  row: TextRow,
  findEntries?: () => readonly number[],
): string | undefined {
  if (isTextIntact(row)) return row.text;
  const reason = 'the text that was extracted from the file does not match its checksum';
  const entryIds = findEntries?.() ?? [];
  const entries = entryIds.length > 0 ? { entryIds } : {};
  reports.reportDamage({ kind: 'extracted-text', subject: row.checksum, reason, ...entries });
  return undefined;
}

/**
 * Returns the checksum stored with a change. It does not cover the position, which the engine may assign on insertion.
 */
export function checksumOfChange({ kind, entryId, revision, notify, atMs }: Change): number {
  return rowChecksum([kind, entryId, revision, notify ? 1 : 0, atMs]);
}

/** Returns a change as stored. A damaged change is reported, and only its position is used. */
export function readChange(
  reports: DocumentDamageReports,
  change: RecordedChange,
  crc: number | null,
): RecordedChange | DamagedChange {
  const isIntact = crc === null ? changeKinds.includes(change.kind) : crc === checksumOfChange(change);
  if (isIntact) return change;
  const { sequence } = change;
  const reason = 'the stored change does not match its checksum';
  reports.reportDamage({ kind: 'change', subject: `change ${sequence}`, reason });
  return { kind: 'damaged', sequence };
}
