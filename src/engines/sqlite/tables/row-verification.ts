import type {
  RowKey,
  RowProgress,
  RowVerificationReader,
  RowVerificationStore,
  VerifiedBatch,
} from '../../../entries/row-verification.port.js';
import { type ChangeRow, readChangeRow, toChange } from '../../sql/tables/changes.js';
import { checksumOfChange, checksumOfText, readText, type TextRow } from '../../stored-rows.js';
import type { Statements } from '../database/connection.js';

const progressKey = 'row-verification';
/** Limits of one step, because a step blocks the event loop. */
const maxRows = 500;
const maxChars = 500_000;

export function rowVerificationReader(connection: Statements): RowVerificationReader {
  return {
    async verify(rows, after) {
      return rows === 'texts' ? verifyTexts(connection, String(after ?? '')) : verifyChanges(connection, Number(after));
    },
    async findProgress() {
      const row = connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', progressKey);
      return row && (JSON.parse(row.value) as RowProgress);
    },
  };
}

export function rowVerificationStore(connection: Statements): RowVerificationStore {
  return {
    ...rowVerificationReader(connection),
    async record(rows, keys) {
      for (const key of keys) {
        if (rows === 'texts') recordText(connection, String(key));
        else recordChange(connection, Number(key));
      }
    },
    async storeProgress(progress) {
      const sql = 'INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)';
      connection.run(sql, progressKey, JSON.stringify(progress));
    },
  };
}

/** Verifies texts one at a time, because a text may be long. */
function verifyTexts(connection: Statements, after: string): VerifiedBatch {
  const unrecorded: RowKey[] = [];
  let last: string | undefined;
  let chars = 0;
  for (let count = 0; count < maxRows && chars < maxChars; count++) {
    const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum > ? ORDER BY checksum LIMIT 1';
    const row = connection.get<TextRow & { checksum: string }>(sql, last ?? after);
    if (!row) break;
    last = row.checksum;
    chars += row.text.length;
    if (row.crc === null) unrecorded.push(last);
    else readText(connection, row, () => listEntriesOfFile(connection, row.checksum));
  }
  return { last, unrecorded };
}

/** @param after position to continue from; NaN: starts at the first change */
function verifyChanges(connection: Statements, after: number): VerifiedBatch {
  const sql = 'SELECT * FROM change WHERE sequence > ? ORDER BY sequence LIMIT ?';
  const rows = connection.all<ChangeRow>(sql, after || 0, maxRows);
  for (const row of rows) readChangeRow(connection, row);
  const unrecorded = rows.filter((row) => row.crc === null).map(({ sequence }) => sequence);
  // Only a full batch is continued: under load, new rows would otherwise keep the verification from ending.
  return { last: rows.length === maxRows ? rows.at(-1)?.sequence : undefined, unrecorded };
}

/** Lists some entries that show a file, or showed it before an edit, for the damage report. */
function listEntriesOfFile(connection: Statements, checksum: string): number[] {
  const sql = `SELECT DISTINCT entry_id FROM attachment JOIN attachment_entry ON attachment_id = id
    WHERE checksum = ? ORDER BY entry_id LIMIT 5`;
  return connection.all<{ entry_id: number }>(sql, checksum).map(({ entry_id }) => entry_id);
}

function recordText(connection: Statements, checksum: string): void {
  const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = ? AND crc IS NULL';
  const row = connection.get<TextRow>(sql, checksum);
  if (!row) return;
  const crc = checksumOfText(row.text, row.failure);
  connection.run('UPDATE file_text SET crc = ? WHERE checksum = ?', crc, checksum);
}

function recordChange(connection: Statements, sequence: number): void {
  const row = connection.get<ChangeRow>('SELECT * FROM change WHERE sequence = ? AND crc IS NULL', sequence);
  // A checksum would make a damaged change look intact.
  if (!row || readChangeRow(connection, row).kind === 'damaged') return;
  connection.run('UPDATE change SET crc = ? WHERE sequence = ?', checksumOfChange(toChange(row)), sequence);
}
