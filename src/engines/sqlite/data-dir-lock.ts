import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commandFor } from '../../kernel/command-hint.js';
import { type DatabaseSync, loadSqlite } from './database/connection.js';
import { isCorruption } from './database/sqlite-errors.js';
import type { Run } from './database-mark.js';

/** Name of the file that identifies the store of a data directory and holds the lock. */
export const lockFile = 'lock.sqlite';

/** Number of recent runs that are recorded. */
const maxRuns = 1_000;

/** Identity of the store to which a data directory belongs. */
export interface DirectoryIdentity {
  readonly storeId: string;
  /** Whether all parts of the directory record the identity, too. */
  readonly isComplete: boolean;
}

/** Records of a data directory about its logbook. */
export interface DirectoryRecords {
  /** Identity of the store; undefined: none is recorded. */
  readonly identity: DirectoryIdentity | undefined;
  /** Marks that the database file may have, see `database-mark.ts`; empty: none is recorded. */
  readonly marks: readonly number[];
  /** Mark of a database that a run opened without closing it; undefined: there is none. */
  readonly openMark: number | undefined;
  /** Most recent runs, oldest first. */
  readonly runs: readonly Run[];
}

/** Lock on a data directory. The operating system releases it no matter how the process ends. */
export interface DataDirLock {
  readonly records: DirectoryRecords;
  /** Replaces these records durably and atomically. */
  record(changed: Partial<DirectoryRecords>): void;
  release(): void;
}

/**
 * Locks a data directory for this process.
 * @param use `lock-only`: nothing is recorded, as for a backup target; the lock then needs no disk space
 * @returns undefined when another process holds the lock
 * @throws Error with instructions when the file is damaged
 */
export async function lockDataDir(
  dataDir: string,
  use: 'records' | 'lock-only' = 'records',
): Promise<DataDirLock | undefined> {
  const DatabaseSync = await loadSqlite();
  const file = join(dataDir, lockFile);
  const db = openFile(() => new DatabaseSync(file, { timeout: 0 }), dataDir);
  let records: DirectoryRecords;
  try {
    // SQLite would otherwise write a journal to disk when it initialises an empty file.
    if (use === 'lock-only') db.exec('PRAGMA journal_mode = MEMORY');
    // This mode keeps the lock after the transaction. Nothing is written here, so a full disk does not prevent startup.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = EXTRA; BEGIN EXCLUSIVE');
    records = readRecords(db);
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw isCorruption(error) ? damagedLock(dataDir, error as Error, use) : error;
  }
  return {
    get records() {
      return records;
    },
    record(changed) {
      const next = { ...records, ...changed };
      write(db, next, Object.keys(changed) as (keyof DirectoryRecords)[]);
      records = next;
    },
    release: () => release(db),
  };
}

/** Content of the lock file in a data directory that another process may be using. */
export type LockState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly reason: string }
  /** A process is writing the file, or was interrupted while writing it. */
  | { readonly kind: 'changing' }
  | { readonly kind: 'readable'; readonly records: DirectoryRecords };

/** Reads and checks the lock file without changing or locking it. */
export async function inspectLock(dataDir: string): Promise<LockState> {
  const file = join(dataDir, lockFile);
  if (!existsSync(file)) return { kind: 'missing' };
  const state = await readLock(file);
  // A read without the lock may see half of a change.
  return hasOpenJournal(file) ? { kind: 'changing' } : state;
}

async function readLock(file: string): Promise<LockState> {
  const DatabaseSync = await loadSqlite();
  const url = pathToFileURL(file);
  // With the flag `immutable`, SQLite does not wait for the process that holds the lock.
  url.searchParams.set('immutable', '1');
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    const { integrity_check: found } = db.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string };
    if (found !== 'ok') return { kind: 'damaged', reason: found };
    return { kind: 'readable', records: readRecords(db) };
  } catch (error) {
    return { kind: 'damaged', reason: (error as Error).message };
  } finally {
    db?.close();
  }
}

/**
 * Whether the journal has an unfinished change. On completion, SQLite overwrites the first byte of the journal or
 * removes it.
 */
function hasOpenJournal(file: string): boolean {
  try {
    return (readFileSync(`${file}-journal`)[0] ?? 0) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** @throws Error with instructions when the file cannot be opened */
function openFile(open: () => DatabaseSync, dataDir: string): DatabaseSync {
  try {
    return open();
  } catch (error) {
    throw new Error(
      `${lockFile} in ${dataDir} cannot be opened (${(error as Error).message}). Check that the directory and the files in it belong to the user who runs the service, and that the file system can be written.`,
      { cause: error },
    );
  }
}

function damagedLock(dataDir: string, { message }: Error, use: 'records' | 'lock-only'): Error {
  if (use === 'lock-only') {
    return new Error(
      `${lockFile} in ${dataDir} is damaged (${message}). Nothing was changed. It holds nothing but the lock: make sure that no other process uses the directory, and remove it.`,
    );
  }
  return new Error(
    `${lockFile} in ${dataDir} is damaged (${message}). Nothing was changed. Make sure that no other process uses the directory, move ${lockFile} away, and run “${commandFor('adopt', dataDir)}”. See “Refusals to start” in docs/operator/data-directory.md.`,
  );
}

/** Releases the lock before closing: below Node 24, the file stays open until its statements are garbage-collected. */
function release(db: DatabaseSync): void {
  db.exec('ROLLBACK; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema');
  db.close();
}

/** Table of each record, created when the record is first written. */
const tables = {
  identity: { name: 'identity', columns: ['store_id TEXT NOT NULL', 'is_complete INTEGER NOT NULL'] },
  marks: { name: 'database_mark', columns: ['value INTEGER NOT NULL'] },
  openMark: { name: 'open_database', columns: ['mark INTEGER NOT NULL'] },
  runs: { name: 'run', columns: ['mark INTEGER NOT NULL', 'log_number INTEGER NOT NULL'] },
} as const satisfies Record<keyof DirectoryRecords, Table>;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

type Row = readonly (string | number)[];

function toRows({ identity, marks, openMark, runs }: DirectoryRecords): Record<keyof DirectoryRecords, Row[]> {
  return {
    identity: identity ? [[identity.storeId, identity.isComplete ? 1 : 0]] : [],
    marks: marks.map((mark) => [mark]),
    openMark: openMark === undefined ? [] : [[openMark]],
    runs: runs.slice(-maxRuns).map(({ mark, firstLogNumber }) => [mark, firstLogNumber]),
  };
}

function readRecords(db: DatabaseSync): DirectoryRecords {
  const [identity] = readRows(db, tables.identity);
  return {
    identity: identity && { storeId: String(identity[0]), isComplete: identity[1] === 1 },
    marks: readRows(db, tables.marks).map(([mark]) => Number(mark)),
    openMark: readRows(db, tables.openMark).map(([mark]) => Number(mark))[0],
    runs: readRows(db, tables.runs).map(([mark, logNumber]) => ({
      mark: Number(mark),
      firstLogNumber: Number(logNumber),
    })),
  };
}

function namesOf({ columns }: Table): string[] {
  return columns.map((column) => column.slice(0, column.indexOf(' ')));
}

function readRows(db: DatabaseSync, table: Table): Row[] {
  if (!db.prepare('SELECT name FROM sqlite_schema WHERE name = ?').get(table.name)) return [];
  const names = namesOf(table);
  const rows = db.prepare(`SELECT ${names.join(', ')} FROM ${table.name} ORDER BY rowid`).all();
  return rows.map((row) => names.map((name) => row[name] as string | number));
}

function replaceRows(db: DatabaseSync, table: Table, rows: readonly Row[]): void {
  db.exec(`CREATE TABLE IF NOT EXISTS ${table.name} (id INTEGER PRIMARY KEY, ${table.columns.join(', ')})`);
  db.exec(`DELETE FROM ${table.name}`);
  const places = table.columns.map(() => '?').join(', ');
  const insert = db.prepare(`INSERT INTO ${table.name} (${namesOf(table).join(', ')}) VALUES (${places})`);
  for (const row of rows) insert.run(...row);
}

/** Commits the changed records while keeping the lock. */
function write(db: DatabaseSync, records: DirectoryRecords, changed: readonly (keyof DirectoryRecords)[]): void {
  const rows = toRows(records);
  try {
    for (const key of changed) replaceRows(db, tables[key], rows[key]);
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.exec('BEGIN EXCLUSIVE');
  }
}
