import { join } from 'node:path';
import { appendCheckpoint } from '../../sql/tables/ledger.js';
import { asyncStatements } from '../database/async-statements.js';
import { openDatabase } from '../database/open-database.js';
import { documentsFile } from '../inspect-documents.js';

/**
 * Stores a checkpoint in the database of a data directory that another process has locked and opened. That process
 * waits briefly, as it does during a checkpoint of the write-ahead log.
 * @throws Error when another checkpoint has the number
 */
export async function appendSqliteCheckpoint(dataDir: string, number: number, document: string): Promise<void> {
  const connection = await openDatabase(join(dataDir, documentsFile), 'guest');
  try {
    await appendCheckpoint(asyncStatements(connection), number, document);
  } finally {
    connection.close();
  }
}
