import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.js';
import type { Connection } from './database/connection.js';
import { newestSchema, readSchema } from './database/migrations.js';
import { readUnchanged } from './database/read-unchanged.js';
import { isCorruption } from './database/sqlite-errors.js';
import { readMark } from './database-mark.js';

/** The database file of the documents in a data directory. */
export const documentsFile = 'logbook.sqlite';

/**
 * What a data directory contains in place of the database. `hasLog`: whether there is a write-ahead log, with writes that
 * are not in the database file.
 */
export type DocumentsState =
  | { readonly kind: 'missing'; readonly hasLog: boolean }
  /** A file without a logbook in it. */
  | { readonly kind: 'empty'; readonly hasLog: boolean }
  | { readonly kind: 'damaged'; readonly reason: string }
  /** Written by a newer version of the program. */
  | { readonly kind: 'newer'; readonly schema: number; readonly newestSchema: number }
  | {
      readonly kind: 'present';
      readonly storeId: string;
      readonly entries: number;
      readonly attachments: number;
      readonly hasLog: boolean;
      /** See `database-mark.ts`. */
      readonly mark: number | undefined;
    };

/** A first start that ended early. */
const createdInPart = { kind: 'empty', hasLog: false } as const;

/** Looks at the database of a data directory without changing or creating it. */
export async function inspectDocuments(dataDir: string): Promise<DocumentsState> {
  const file = join(dataDir, documentsFile);
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const hasLog = await isNonEmpty(`${file}-wal`);
  if (!found) return { kind: 'missing', hasLog };
  if (found.size === 0) return { kind: 'empty', hasLog };
  // Used only until the database has a write-ahead log; a reader cannot roll it back.
  if (await isNonEmpty(`${file}-journal`)) return createdInPart;
  try {
    return await readUnchanged(file, (connection) => inspect(connection, hasLog, readMark(file)));
  } catch (error) {
    const cause = error instanceof Fault ? error.cause : error;
    if (!isCorruption(cause)) throw error;
    return { kind: 'damaged', reason: (cause as Error).message };
  }
}

async function isNonEmpty(file: string): Promise<boolean> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return (found?.size ?? 0) > 0;
}

function inspect(connection: Connection, hasLog: boolean, mark: number | undefined): DocumentsState {
  const schema = readSchema(connection);
  if (schema > newestSchema) return { kind: 'newer', schema, newestSchema };
  if (!connection.get("SELECT 1 AS found FROM sqlite_schema WHERE name = 'store'")) return createdInPart;
  const store = connection.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
  if (!store) return createdInPart;
  // The log of another database is applied to one that was put back beside it, and destroys it.
  const problem = hasLog ? connection.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check : 'ok';
  if (problem !== 'ok') {
    return {
      kind: 'damaged',
      reason: `${problem}; if it was put back, ${documentsFile}-wal and -shm are those of another`,
    };
  }
  const count = (table: string) =>
    connection.get<{ count: number }>(`SELECT coalesce(max(rowid), 0) AS count FROM ${table}`)?.count ?? 0;
  return {
    kind: 'present',
    storeId: store.value,
    entries: count('entry'),
    attachments: count('attachment'),
    hasLog,
    mark,
  };
}
