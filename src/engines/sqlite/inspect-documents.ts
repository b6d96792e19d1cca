import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.js';
import { Connection, loadSqlite } from './database/connection.js';
import { isCorruption } from './database/sqlite-errors.js';

/** The database file of the documents in a data directory. */
export const documentsFile = 'logbook.sqlite';

/** What a data directory contains in place of the database. */
export type DocumentsState =
  | { readonly kind: 'missing' }
  /** A file without a logbook in it. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'present'; readonly storeId: string; readonly entries: number; readonly attachments: number };

/** Looks at the database of a data directory without changing or creating it. */
export async function inspectDocuments(dataDir: string): Promise<DocumentsState> {
  const file = join(dataDir, documentsFile);
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return { kind: 'missing' };
  if (found.size === 0) return { kind: 'empty' };
  const DatabaseSync = await loadSqlite();
  let connection: Connection | undefined;
  try {
    connection = new Connection(new DatabaseSync(file, { readOnly: true, timeout: 5_000 }));
    return inspect(connection);
  } catch (error) {
    const cause = error instanceof Fault ? error.cause : error;
    if (!isCorruption(cause)) throw error;
    return { kind: 'damaged', reason: (cause as Error).message };
  } finally {
    connection?.close();
  }
}

function inspect(connection: Connection): DocumentsState {
  if (!connection.get("SELECT 1 AS found FROM sqlite_schema WHERE name = 'store'")) return { kind: 'empty' };
  const store = connection.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
  if (!store) return { kind: 'empty' };
  const count = (table: string) =>
    connection.get<{ count: number }>(`SELECT coalesce(max(rowid), 0) AS count FROM ${table}`)?.count ?? 0;
  return { kind: 'present', storeId: store.value, entries: count('entry'), attachments: count('attachment') };
}
