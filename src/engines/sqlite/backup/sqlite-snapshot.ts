import { join } from 'node:path';
import type { Value } from '../../../backup/backup-tables.js';
import type { DocumentSnapshot } from '../../../backup/document-snapshot.port.js';
import type { ColumnName } from '../../../backup/schema.js';
import { fileExists } from '../../../kernel/file-exists.js';
import { quotedName, type RowsReader, rowsOfSnapshot } from '../../sql/backup-rows.js';
import { ledgerReader } from '../../sql/tables/ledger.js';
import { asyncStatements } from '../database/async-statements.js';
import type { Connection } from '../database/connection.js';
import { openDatabase } from '../database/open-database.js';
import { newestSchema, readSchema } from '../database/schema-version.js';
import { readGivenIds } from '../entry-ids.js';
import { documentsFile } from '../inspect-documents.js';
import { newestId } from '../tables/entries.js';
import { checkSchema } from './check-schema.js';

/** Names of columns that differ from their names in backups. */
export const columnNames: Readonly<Partial<Record<ColumnName, string>>> = { 'entry.write': 'sequence' };

function rowsReader(connection: Connection): RowsReader {
  return {
    expressionOf: (table, column) => quotedName(columnNames[`${table}.${column}` as ColumnName] ?? column),
    parameter: (position) => `?${position}`,
    read(columns, sql, values) {
      const rows = connection.all<Record<string, Value>>(sql, ...values);
      return rows.map((row) => columns.map((column) => row[column] ?? null));
    },
  };
}

/**
 * Opens the current state of the database in a data directory, even while the service uses it: a reader does not block
 * writers. Must not be used on the event loop of the service, because reading a batch blocks it.
 * @throws Error when there is no database, or another version of the program has written it
 */
export async function openSqliteSnapshot(dataDir: string): Promise<DocumentSnapshot> {
  const file = join(dataDir, documentsFile);
  if (!fileExists(file))
    throw new Error(
      `There is no logbook in ${dataDir}: ${documentsFile} is missing. Name its directory with --data-dir, or the configuration of the service with --config.`,
    );
  const connection = await openDatabase(file, 'reader');
  try {
    connection.exec('BEGIN');
    const schema = readSchema(connection);
    if (schema !== newestSchema) {
      throw new Error(
        `${documentsFile} in ${dataDir} has the schema ${schema}, and this version of the program needs ${newestSchema}. First start this version of the service, which migrates the database.`,
      );
    }
    return snapshotOn(connection, Math.max(newestId(connection), readGivenIds(dataDir)));
  } catch (error) {
    connection.close();
    throw error;
  }
}

function snapshotOn(connection: Connection, highestEntryId: number): DocumentSnapshot {
  const value = (sql: string) => connection.get<{ value: string | number | null }>(sql)?.value;
  return {
    storeId: String(value("SELECT value FROM store WHERE key = 'id'") ?? ''),
    engine: 'sqlite',
    highestEntryId,
    feedPosition: Number(value('SELECT max(sequence) AS value FROM change') ?? 0),
    ...rowsOfSnapshot(rowsReader(connection)),
    async nextNumbers() {
      const sequence = value("SELECT seq AS value FROM sqlite_sequence WHERE name = 'change'");
      return { 'entry.id': highestEntryId + 1, 'change.sequence': sequence === undefined ? 0 : Number(sequence) + 1 };
    },
    ledger: ledgerReader(asyncStatements(connection)),
    checkSchema: () => checkSchema(connection),
    async close() {
      connection.rollBack();
      connection.close();
    },
  };
}
