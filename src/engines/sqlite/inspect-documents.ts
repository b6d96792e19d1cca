import { open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.js';
import type { Connection } from './database/connection.js';
import { listMigrationCopies, type MigrationCopy } from './database/migration-copy.js';
import { readUnchanged } from './database/read-unchanged.js';
import { newestSchema, readSchema } from './database/schema-version.js';
import { isCorruption } from './database/sqlite-errors.js';
import { readLogNumber, readMark } from './database-mark.js';

/** Name of the database file in a data directory. */
export const documentsFile = 'logbook.sqlite';

/**
 * State of the database in a data directory. `hasLog`: whether a write-ahead log contains writes that are not in the
 * database file.
 */
export type DocumentsState =
  | { readonly kind: 'missing'; readonly hasLog: boolean }
  /** The file contains no logbook. */
  | { readonly kind: 'empty'; readonly hasLog: boolean }
  | { readonly kind: 'damaged'; readonly reason: string }
  /** There is a journal: another program has begun a change, or changed the journal mode of the database. */
  | { readonly kind: 'journal' }
  /** A newer version of the program wrote the database. */
  | {
      readonly kind: 'newer';
      readonly schema: number;
      readonly newestSchema: number;
      /** Copies made before migrations that this version can use, the newest schema first. */
      readonly copies: readonly MigrationCopy[];
    }
  | {
      readonly kind: 'present';
      readonly storeId: string;
      readonly entries: number;
      readonly attachments: number;
      readonly hasLog: boolean;
      /** See `database-mark.ts`. */
      readonly mark: number | undefined;
      /** Number of the write-ahead log, see `database-mark.ts`; undefined when there is none. */
      readonly logNumber: number | undefined;
    };

/** Offset of the page size in the header of a database file; the value 1 means 65,536. */
const pageSizeOffset = 16;

/** State after an interrupted first start. */
const createdInPart = { kind: 'empty', hasLog: false } as const;

/** Inspects the database of a data directory without changing or creating it. */
export async function inspectDocuments(dataDir: string): Promise<DocumentsState> {
  const named = join(dataDir, documentsFile);
  // The log is next to the file itself, not next to a symbolic link to it.
  const file = await realpath(named).catch(() => named);
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const hasLog = await isNonEmpty(`${file}-wal`);
  if (!found) return { kind: 'missing', hasLog };
  if (found.size === 0) return { kind: 'empty', hasLog };
  // A journal exists only until the database uses a write-ahead log, and a reader cannot roll it back.
  if (await isNonEmpty(`${file}-journal`)) return (await isNew(file, found.size)) ? createdInPart : { kind: 'journal' };
  const mark = readMark(file);
  try {
    const state = await readUnchanged(file, (connection) => inspect(connection, { file, mark, hasLog }));
    if (state.kind !== 'newer') return state;
    const copies = await listMigrationCopies(file);
    return { ...state, copies: copies.filter(({ schema }) => schema <= newestSchema) };
  } catch (error) {
    const cause = error instanceof Fault ? error.cause : error;
    if (!isCorruption(cause)) throw error;
    return { kind: 'damaged', reason: (cause as Error).message };
  }
}

/** Whether a database file has at most one page, as right after its creation. */
async function isNew(file: string, bytes: number): Promise<boolean> {
  const opened = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(2), 0, 2, pageSizeOffset);
    const stored = bytesRead === 2 ? buffer.readUInt16BE() : 0;
    return bytes <= (stored === 1 ? 65_536 : stored);
  } finally {
    await opened.close();
  }
}

async function isNonEmpty(file: string): Promise<boolean> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return (found?.size ?? 0) > 0;
}

interface InspectedFile {
  readonly file: string;
  readonly mark: number | undefined;
  readonly hasLog: boolean;
}

function inspect(connection: Connection, { file, mark, hasLog }: InspectedFile): DocumentsState {
  const schema = readSchema(connection);
  if (schema > newestSchema) return { kind: 'newer', schema, newestSchema, copies: [] };
  if (!connection.get("SELECT 1 AS found FROM sqlite_schema WHERE name = 'store'")) return createdInPart;
  const store = connection.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
  if (!store) return createdInPart;
  // If the log belongs to another database, opening this one would apply the log and destroy the database.
  const problem = hasLog ? connection.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check : 'ok';
  if (problem !== 'ok') {
    return {
      kind: 'damaged',
      reason: `${problem}; if the database was restored, ${documentsFile}-wal and -shm may belong to another database`,
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
    logNumber: readLogNumber(file),
  };
}
