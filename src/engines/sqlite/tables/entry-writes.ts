import { randomUUID } from 'node:crypto';
import { mayHoldText } from '../../../attachments/media-type.js';
import type { Entry } from '../../../entries/entry.js';
import type { Statements } from '../database/connection.js';
import type { SearchableEntry } from '../search/index/terms.js';

/**
 * What was written when, for those who follow it from afar: each write of an entry gives it the next number of one
 * sequence. Only the last write of an entry is on record.
 */

/** Of the words of an entry's attachments, so many characters are searched. */
const maxAttachmentChars = 1_000_000;

/** The number of the newest write; 0 when there is none. */
export function newestSequence(connection: Statements): number {
  return connection.get<{ newest: number }>('SELECT coalesce(max(sequence), 0) AS newest FROM entry')?.newest ?? 0;
}

/** Entries last written after a number, in the order of those writes. */
export function listWritesAfter(
  connection: Statements,
  sequence: number,
  limit: number,
): { readonly id: number; readonly version: number; readonly sequence: number }[] {
  return connection.all(
    'SELECT id, version, sequence FROM entry WHERE sequence > ? ORDER BY sequence LIMIT ?',
    sequence,
    limit,
  );
}

/** The entries from one id to another, both included. */
export function listIds(connection: Statements, first: number, last: number): number[] {
  return connection
    .all<{ id: number }>('SELECT id FROM entry WHERE id BETWEEN ? AND ? ORDER BY id', first, last)
    .map(({ id }) => id);
}

export function findSearchable(connection: Statements, id: number): SearchableEntry | undefined {
  const row = connection.get<{ document: string; in_reply_to: number | null }>(
    'SELECT document, in_reply_to FROM entry WHERE id = ?',
    id,
  );
  return row && searchable(connection, id, row);
}

export function getSearchable(connection: Statements, id: number): SearchableEntry {
  const found = findSearchable(connection, id);
  if (!found) throw new Error(`entry ${id} is not stored`);
  return found;
}

/** The archived versions of an entry from a version on. */
export function listArchivedFrom(connection: Statements, entryId: number, version: number): SearchableEntry[] {
  return connection
    .all<{ document: string; in_reply_to: number | null }>(
      `SELECT archived_entry.document AS document, in_reply_to FROM archived_entry JOIN entry ON id = entry_id
       WHERE entry_id = ? AND archived_entry.version >= ?`,
      entryId,
      version,
    )
    .map((row) => searchable(connection, entryId, row));
}

function searchable(
  connection: Statements,
  id: number,
  row: { document: string; in_reply_to: number | null },
): SearchableEntry {
  const view = JSON.parse(row.document) as Entry;
  const attachmentTexts: string[] = [];
  let room = maxAttachmentChars;
  for (const { checksum, contentType } of view.attachments) {
    if (room === 0 || !mayHoldText(contentType)) continue;
    const text =
      connection.get<{ text: string }>('SELECT text FROM file_text WHERE checksum = ?', checksum)?.text ?? '';
    attachmentTexts.push(text.slice(0, room).toWellFormed());
    room -= Math.min(room, text.length);
  }
  return { id, view, isReply: row.in_reply_to !== null, attachmentTexts };
}

/** Puts a new start of the program on record. An older copy of the data that is put back lacks the starts after it. */
export function recordRun(connection: Statements): void {
  connection.run('INSERT INTO start (id, sequence) VALUES (?, ?)', randomUUID(), newestSequence(connection));
}

export function newestRun(connection: Statements): string {
  return connection.get<{ id: string }>('SELECT id FROM start ORDER BY number DESC LIMIT 1')?.id ?? '';
}

/** Whether these data are the ones that had this write in this start of the program. */
export function containsWrite(connection: Statements, startId: string, sequence: number): boolean {
  const start = connection.get<{ number: number }>('SELECT number FROM start WHERE id = ?', startId);
  if (!start) return false;
  const next = connection.get<{ sequence: number }>(
    'SELECT sequence FROM start WHERE number > ? ORDER BY number LIMIT 1',
    start.number,
  );
  return sequence <= (next?.sequence ?? newestSequence(connection));
}
