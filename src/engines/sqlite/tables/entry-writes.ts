import { randomUUID } from 'node:crypto';
import { mayHoldText } from '../../../attachments/media-type.js';
import { damagedEntry } from '../../../entries/damaged-entry.js';
import type { Entry } from '../../../entries/entry.js';
import type { Statements } from '../database/connection.js';
import type { SearchableEntry } from '../search/index/terms.js';
import { type DocumentRow, readDocument } from './document.js';

/**
 * The sequence of entry writes, which the search index follows: each write gives its entry the next number. Only the
 * last write of an entry is recorded.
 */

/** How many characters of text are indexed for the attachments of one entry together. */
const maxAttachmentChars = 1_000_000;

/** Returns the sequence number of the newest write; 0 when there is none. */
export function newestSequence(connection: Statements): number {
  return connection.get<{ newest: number }>('SELECT coalesce(max(sequence), 0) AS newest FROM entry')?.newest ?? 0;
}

/** Lists the entries last written after a sequence number, in the order of those writes. */
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

interface SearchableRow extends DocumentRow {
  readonly in_reply_to: number | null;
}

export function findSearchable(connection: Statements, id: number): SearchableEntry | undefined {
  const row = connection.get<SearchableRow>('SELECT document, crc, in_reply_to FROM entry WHERE id = ?', id);
  return row && toSearchable(connection, id, row);
}

export function getSearchable(connection: Statements, id: number): SearchableEntry {
  const found = findSearchable(connection, id);
  if (!found) throw new Error(`entry ${id} is not stored`);
  return found;
}

/** Lists the archived versions of an entry, from `version` onwards. */
export function listArchivedFrom(connection: Statements, entryId: number, version: number): SearchableEntry[] {
  return connection
    .all<SearchableRow>(
      `SELECT archived_entry.document AS document, archived_entry.crc AS crc, in_reply_to FROM archived_entry JOIN entry ON id = entry_id
       WHERE entry_id = ? AND archived_entry.version >= ?`,
      entryId,
      version,
    )
    .map((row) => toSearchable(connection, entryId, row));
}

function toSearchable(connection: Statements, id: number, row: SearchableRow): SearchableEntry {
  // The text with markup is not searched, and may be long.
  const view = { ...readView(connection, id, row), source: '' };
  const attachmentTexts: string[] = [];
  let remainingChars = maxAttachmentChars;
  for (const { checksum, contentType } of view.attachments) {
    if (remainingChars === 0 || !mayHoldText(contentType)) continue;
    const text =
      connection.get<{ text: string }>('SELECT text FROM file_text WHERE checksum = ?', checksum)?.text ?? '';
    attachmentTexts.push(text.slice(0, remainingChars).toWellFormed());
    remainingChars -= Math.min(remainingChars, text.length);
  }
  return { id, view, isReply: row.in_reply_to !== null, attachmentTexts };
}

/** A damaged document must not keep all later entries out of the index. */
function readView(connection: Statements, id: number, row: SearchableRow): Entry {
  try {
    return JSON.parse(readDocument(connection, `entry ${id}`, row, () => [id])) as Entry;
  } catch {
    return damagedEntry(id);
  }
}

/**
 * Records a new run of the program. A copy of the data that is restored lacks the later runs, which tells the search
 * index that it was built from other data.
 */
export function recordRun(connection: Statements): void {
  connection.run('INSERT INTO start (id, sequence) VALUES (?, ?)', randomUUID(), newestSequence(connection));
}

/** Returns the id of the newest run; empty when none is recorded. */
export function newestRunId(connection: Statements): string {
  return connection.get<{ id: string }>('SELECT id FROM start ORDER BY number DESC LIMIT 1')?.id ?? '';
}

/** Returns whether this database contains the write with this sequence number of this run. */
export function containsWrite(connection: Statements, runId: string, sequence: number): boolean {
  const run = connection.get<{ number: number }>('SELECT number FROM start WHERE id = ?', runId);
  if (!run) return false;
  const next = connection.get<{ sequence: number }>(
    'SELECT sequence FROM start WHERE number > ? ORDER BY number LIMIT 1',
    run.number,
  );
  return sequence <= (next?.sequence ?? newestSequence(connection));
}
