import { randomUUID } from 'node:crypto';
import { damagedEntry } from '../../../entries/damaged-entry.js';
import type { Entry } from '../../../entries/entry.js';
import type { EntryWriteReader } from '../../../entries/entry-writes.port.js';
import { type SearchableEntry, toSearchable } from '../../../entries/searchable-entry.js';
import { type DocumentRow, readDocument } from '../../stored-document.js';
import { readText, type TextRow } from '../../stored-rows.js';
import type { Statements } from '../database/connection.js';

/**
 * Sequence of entry writes, which the search index follows. Each write assigns the next number to its entry. Only the
 * last write of an entry is recorded.
 */

/** Returns the sequence number of the newest write; 0 if there is none. */
export function newestSequence(connection: Statements): number {
  return connection.get<{ newest: number }>('SELECT coalesce(max(sequence), 0) AS newest FROM entry')?.newest ?? 0;
}

export interface EntryWrite {
  readonly id: number;
  readonly version: number;
  readonly sequence: number;
}

/** Lists the entries last written after a sequence number, in write order. */
export function listWritesAfter(connection: Statements, sequence: number, limit: number): EntryWrite[] {
  return connection.all<EntryWrite & Record<string, unknown>>(
    'SELECT id, version, sequence FROM entry WHERE sequence > ? ORDER BY sequence LIMIT ?',
    sequence,
    limit,
  );
}

/**
 * Returns the sequence number that ends a block of at most `limit` writes after `after` and up to `newest`; undefined
 * if there are no writes.
 */
export function endOfBlock(
  connection: Statements,
  { after, newest, limit }: { readonly after: number; readonly newest: number; readonly limit: number },
): number | undefined {
  const row = connection.get<{ last: number | null }>(
    'SELECT max(sequence) AS last FROM (SELECT sequence FROM entry WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?)',
    after,
    newest,
    limit,
  );
  return row?.last ?? undefined;
}

/** Lists the entries last written after the sequence number `after` and up to `last`, in write order. */
export function listWritesBetween(connection: Statements, after: number, last: number): EntryWrite[] {
  return connection.all<EntryWrite & Record<string, unknown>>(
    'SELECT id, version, sequence FROM entry WHERE sequence > ? AND sequence <= ? ORDER BY sequence',
    after,
    last,
  );
}

/** Returns whether an entry has not been written again since this write. */
export function isLastWrite(connection: Statements, { id, sequence }: EntryWrite): boolean {
  return connection.get<{ sequence: number }>('SELECT sequence FROM entry WHERE id = ?', id)?.sequence === sequence;
}

interface SearchableRow extends DocumentRow {
  readonly in_reply_to: number | null;
}

/** Returns the sequence number of the last write of an entry; undefined if the entry is not stored. */
export function findSequence(connection: Statements, id: number): number | undefined {
  return connection.get<{ sequence: number }>('SELECT sequence FROM entry WHERE id = ?', id)?.sequence;
}

export function findSearchable(connection: Statements, id: number): SearchableEntry | undefined {
  const row = connection.get<SearchableRow>('SELECT document, crc, in_reply_to FROM entry WHERE id = ?', id);
  return row && readSearchable(connection, id, row);
}

export function getSearchable(connection: Statements, id: number): SearchableEntry {
  const found = findSearchable(connection, id);
  if (!found) throw new Error(`entry ${id} is not stored`);
  return found;
}

/** Returns an entry without the texts of its files; undefined if it is not stored. */
export function findEntry(connection: Statements, id: number): Entry | undefined {
  const row = connection.get<DocumentRow>('SELECT document, crc FROM entry WHERE id = ?', id);
  return row && readView(connection, id, row);
}

/** Lists the archived versions of an entry, starting with `version`. */
export function listArchivedFrom(connection: Statements, entryId: number, version: number): SearchableEntry[] {
  return connection
    .all<SearchableRow>(
      `SELECT archived_entry.document AS document, archived_entry.crc AS crc, in_reply_to FROM archived_entry JOIN entry ON id = entry_id
       WHERE entry_id = ? AND archived_entry.version >= ? ORDER BY archived_entry.version`,
      entryId,
      version,
    )
    .map((row) => readSearchable(connection, entryId, row));
}

function readSearchable(connection: Statements, id: number, row: SearchableRow): SearchableEntry {
  return toSearchable(readView(connection, id, row), row.in_reply_to !== null, (checksum) =>
    findText(connection, id, checksum),
  );
}

/** Finds the text of a file; undefined also if it is damaged, in which case it will be extracted again. */
function findText(connection: Statements, id: number, checksum: string): string | undefined {
  const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = ?';
  const row = connection.get<TextRow>(sql, checksum);
  return row && readText(connection, row, () => [id]);
}

/** Reads the entry, or a substitute for a damaged one, which must not keep all later entries out of the index. */
function readView(connection: Statements, id: number, row: DocumentRow): Entry {
  try {
    return JSON.parse(readDocument(connection, `entry ${id}`, row, () => [id])) as Entry;
  } catch {
    return damagedEntry(id);
  }
}

/**
 * Records a new run of the program. If an older copy of the data is restored, it lacks later runs. The search index
 * thus detects that it was built from other data.
 */
export function recordRun(connection: Statements): void {
  connection.run('INSERT INTO start (id, sequence) VALUES (?, ?)', randomUUID(), newestSequence(connection));
}

/** Returns the id of the newest run; empty if none is recorded. */
export function newestRunId(connection: Statements): string {
  return connection.get<{ id: string }>('SELECT id FROM start ORDER BY number DESC LIMIT 1')?.id ?? '';
}

/**
 * Returns whether this database contains the run, and the run had reached the sequence number before the next run
 * began.
 */
export function containsWrite(connection: Statements, runId: string, sequence: number): boolean {
  const run = connection.get<{ number: number }>('SELECT number FROM start WHERE id = ?', runId);
  if (!run) return false;
  const next = connection.get<{ sequence: number }>(
    'SELECT sequence FROM start WHERE number > ? ORDER BY number LIMIT 1',
    run.number,
  );
  return sequence <= (next?.sequence ?? newestSequence(connection));
}

interface Position {
  readonly runId: string;
  readonly sequence: number;
}

/** Encodes a position for readers: the run of the program that issues it, and the sequence number of the write. */
const encodePosition = ({ runId, sequence }: Position): string => `${runId}.${sequence}`;

function decodePosition(position: string | undefined): Position {
  if (position === undefined) return { runId: '', sequence: 0 };
  const [, runId = '', sequence] = /^([^.]*)[.](\d+)$/.exec(position) ?? [];
  if (sequence === undefined) throw new Error('not a position in the sequence of entry writes');
  return { runId, sequence: Number(sequence) };
}

export function entryWriteReader(connection: Statements): EntryWriteReader {
  const list = (position: string | undefined, limit: number) => {
    const runId = newestRunId(connection);
    return listWritesAfter(connection, decodePosition(position).sequence, limit).map(({ id, version, sequence }) => ({
      id,
      revision: version,
      position: encodePosition({ runId, sequence }),
      order: sequence,
    }));
  };
  return {
    async newestPosition() {
      return encodePosition({ runId: newestRunId(connection), sequence: newestSequence(connection) });
    },
    async listAfter(position, limit) {
      return list(position, limit);
    },
    async listCommittedAfter(position, limit) {
      return list(position, limit).map((write) => ({ ...write, isFinal: true }));
    },
    async countAfter(position) {
      const sql = 'SELECT count(*) AS writes FROM entry WHERE sequence > ?';
      return connection.get<{ writes: number }>(sql, decodePosition(position).sequence)?.writes ?? 0;
    },
    async contains(position) {
      const { runId, sequence } = decodePosition(position);
      return sequence === 0 || containsWrite(connection, runId, sequence);
    },
    async findSearchable(id) {
      return findSearchable(connection, id);
    },
    async listSearchableFrom(id, version) {
      return listArchivedFrom(connection, id, version);
    },
  };
}
