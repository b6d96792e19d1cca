import { type Change, changeKinds, type DamagedChange, type RecordedChange } from '../entries/change-feed.port.js';
import { rowChecksum } from '../kernel/row-checksum.js';
import type { DocumentDamageReports } from './stored-document.js';

/** Rows that contain no document: extracted texts, and changes. Each has a checksum of its values. */

export interface TextRow {
  readonly checksum: string;
  readonly text: string;
  readonly failure: string | null;
  /** Null: stored by a version that recorded none. */
  readonly crc: number | null;
}

/** Returns a text as every engine stores it: the characters that one of them would replace are replaced before. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The checksum that is stored with the text of a file. */
export function checksumOfText(text: string, failure: string | null): number {
  return rowChecksum([text, failure]);
}

export function isTextIntact({ text, failure, crc }: Omit<TextRow, 'checksum'>): boolean {
  return crc === null || crc === checksumOfText(text, failure);
}

/** Returns the text of a row; undefined when it is damaged, which is reported: it will be extracted again. */
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
 * The checksum that is stored with a change. It does not cover the position, which the engine may assign while it
 * stores the change.
 */
export function checksumOfChange({ kind, entryId, revision, notify, atMs }: Change): number {
  return rowChecksum([kind, entryId, revision, notify ? 1 : 0, atMs]);
}

/** Returns a change as it was stored; one that is damaged is reported, and nothing of it but its position is trusted. */
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
