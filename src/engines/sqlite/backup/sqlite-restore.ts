import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupTable, Row } from '../../../backup/backup-tables.js';
import { type DocumentRestore, feedGap, type RestoredNumbers } from '../../../backup/document-snapshot.port.js';
import type { ColumnName } from '../../../backup/schema.js';
import { syncDirectory } from '../../../kernel/sync-directory.js';
import { quotedName } from '../../sql/backup-rows.js';
import type { Connection } from '../database/connection.js';
import { openDatabase } from '../database/open-database.js';
import { writeGivenIds } from '../entry-ids.js';
import { documentsFile } from '../inspect-documents.js';
import { columnNames } from './sqlite-snapshot.js';

/** Name of the database file until it is complete, so that no start takes it for a logbook. */
const unfinishedFile = 'restoring.sqlite';

/** Opens the restore of documents into a data directory without a database. */
export async function openSqliteRestore(dataDir: string): Promise<DocumentRestore> {
  const file = join(dataDir, unfinishedFile);
  await removeDatabase(file);
  const connection = await openDatabase(file, 'writer');
  // Durability is not needed before completion: an incomplete file is never used.
  connection.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; DELETE FROM store');
  connection.exec('BEGIN');
  let isComplete = false;
  return {
    async insert(table, rows) {
      for (const row of rows) insertRow(connection, table, row);
    },
    async complete(numbers) {
      const { highestEntryId } = numbers;
      finishRows(connection, numbers);
      connection.exec('COMMIT');
      // Moves everything into the database file and syncs it.
      connection.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE');
      connection.close();
      writeGivenIds(dataDir, highestEntryId);
      await rename(file, join(dataDir, documentsFile));
      await syncDirectory(dataDir);
      isComplete = true;
    },
    async close() {
      if (isComplete) return;
      connection.rollBack();
      connection.close();
      await removeDatabase(file);
    },
  };
}

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${file}${suffix}`, { force: true });
}

function insertRow(connection: Connection, { name, columns }: BackupTable, row: Row): void {
  const names = columns.map((column) => quotedName(columnNames[`${name}.${column}` as ColumnName] ?? column));
  // A backup lacks this column; `orderBackdated` corrects the value at the end.
  const own = name === 'entry' ? { names: [', in_order'], places: [', 1'] } : { names: [], places: [] };
  connection.run(
    `INSERT INTO ${quotedName(name)} (${names.join(', ')}${own.names.join('')})
     VALUES (${names.map(() => '?').join(', ')}${own.places.join('')})`,
    ...names.map((_, at) => row[at] ?? null),
  );
}

function finishRows(connection: Connection, { highestEntryId, feedPosition, elapsedMs }: RestoredNumbers): void {
  numberWrites(connection);
  orderBackdated(connection);
  setCounter(connection, 'entry', highestEntryId);
  // New positions are above all positions assigned since the backup.
  const { newest } = connection.get<{ newest: number }>('SELECT coalesce(max(sequence), 0) AS newest FROM change') ?? {
    newest: 0,
  };
  setCounter(connection, 'change', Math.max(newest, feedPosition) + feedGap + Math.floor(elapsedMs));
}

/**
 * Gives each entry its own write number, as the index requires: another engine may have assigned one number to several
 * entries.
 */
function numberWrites(connection: Connection): void {
  if (!connection.get('SELECT 1 FROM entry GROUP BY sequence HAVING count(*) > 1 LIMIT 1')) return;
  connection.exec(`
    CREATE TEMP TABLE in_write_order (id INTEGER PRIMARY KEY, place INTEGER);
    INSERT INTO in_write_order SELECT id, row_number() OVER (ORDER BY sequence, id) FROM entry;
    UPDATE entry SET sequence = (SELECT place FROM in_write_order WHERE in_write_order.id = entry.id);
    DROP TABLE in_write_order;
  `);
}

/** Sets the number after which SQLite continues to count. */
function setCounter(connection: Connection, table: string, number: number): void {
  connection.run('DELETE FROM sqlite_sequence WHERE name = ?', table);
  connection.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, number);
}

/** Marks backdated entries as out of order; see `recordBackdated` in entry-order.ts. */
function orderBackdated(connection: Connection): void {
  connection.exec(`
    CREATE TEMP TABLE backdated AS SELECT id, created_ms FROM (
      SELECT id, created_ms,
        max(created_ms) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest FROM entry
    ) WHERE created_ms < newest;
    UPDATE entry SET in_order = 0 WHERE id IN (SELECT id FROM backdated);
    INSERT INTO backdated_entry (id, created_ms, place) SELECT id, created_ms, coalesce((
      SELECT id FROM entry WHERE in_order = 1 AND entry.created_ms <= backdated.created_ms AND entry.id < backdated.id
      ORDER BY entry.created_ms DESC, entry.id DESC LIMIT 1), 0)
    FROM backdated ORDER BY id;
    DROP TABLE backdated;
  `);
}
