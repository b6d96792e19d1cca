import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commandFor } from '../../kernel/command-hint.js';
import { type DatabaseSync, loadSqlite } from './database/connection.js';
import { isCorruption } from './database/sqlite-errors.js';
import type { Run } from './database-mark.js';

/** The data directory's own file: names the store to which the directory belongs, and holds the lock. */
export const lockFile = 'lock.sqlite';

/** How many of the last runs are known. */
const maxRuns = 1_000;

/** To which store a data directory belongs. */
export interface DirectoryIdentity {
  readonly storeId: string;
  /** False until all parts of the directory record it too. */
  readonly isComplete: boolean;
}

/** The lock on a data directory. The operating system releases it however the process ends. */
export interface DataDirLock {
  /** As recorded; undefined when none is. */
  readonly identity: DirectoryIdentity | undefined;
  /** Records, durably, to which store the directory belongs. */
  recordIdentity(identity: DirectoryIdentity): void;
  /** The marks that the database file may have, see `database-mark.ts`; empty when none is recorded. */
  readonly marks: readonly number[];
  /** Records the marks durably. */
  recordMarks(marks: readonly number[]): void;
  /** The mark of the database that a run opened and did not close; undefined when none is. */
  readonly openMark: number | undefined;
  /** Records, durably, that the database with this mark is open; undefined: none is. */
  recordOpen(mark: number | undefined): void;
  /** The last runs. */
  readonly runs: readonly Run[];
  /** Records a run durably. */
  recordRun(run: Run): void;
  release(): void;
}

/**
 * Locks a data directory for this process.
 * @param use `lock-only`: nothing is recorded, as for a backup target; the lock then needs no space on the disk
 * @returns undefined when another process holds the lock
 * @throws Error that says what to do when the file is damaged
 */
export async function lockDataDir(
  dataDir: string,
  use: 'records' | 'lock-only' = 'records',
): Promise<DataDirLock | undefined> {
  const DatabaseSync = await loadSqlite();
  const file = join(dataDir, lockFile);
  const db = openFile(() => new DatabaseSync(file, { timeout: 0 }), dataDir);
  let records: Records;
  try {
    // SQLite begins a file in which nothing is recorded yet, with a journal on the disk otherwise.
    if (use === 'lock-only') db.exec('PRAGMA journal_mode = MEMORY');
    // This mode keeps the lock after a transaction. Nothing is written here: a full disk does not prevent startup.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = EXTRA; BEGIN EXCLUSIVE');
    records = { identity: readIdentity(db), marks: readMarks(db), openMark: readOpen(db), runs: readRuns(db) };
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw isCorruption(error) ? damagedLock(dataDir, error as Error, use) : error;
  }
  return lockOn(db, records);
}

/** Content of the lock file in a data directory that another process may be using. */
export type LockState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly reason: string }
  /** A process writes it, or was interrupted while it did. */
  | { readonly kind: 'changing' }
  | ({ readonly kind: 'readable' } & Pick<DataDirLock, 'identity' | 'marks'>);

/** Reads and checks the file of the lock, and neither changes nor locks it. */
export async function inspectLock(dataDir: string): Promise<LockState> {
  const file = join(dataDir, lockFile);
  if (!existsSync(file)) return { kind: 'missing' };
  const state = await readLock(file);
  // Read without a lock, it may be half of a change.
  return hasOpenJournal(file) ? { kind: 'changing' } : state;
}

async function readLock(file: string): Promise<LockState> {
  const DatabaseSync = await loadSqlite();
  const url = pathToFileURL(file);
  // The flag `immutable` keeps SQLite from waiting for the process that holds the lock.
  url.searchParams.set('immutable', '1');
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    const { integrity_check: found } = db.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string };
    if (found !== 'ok') return { kind: 'damaged', reason: found };
    return { kind: 'readable', identity: readIdentity(db), marks: readMarks(db) };
  } catch (error) {
    return { kind: 'damaged', reason: (error as Error).message };
  } finally {
    db?.close();
  }
}

/** SQLite overwrites the first byte of the journal when the change is complete, or removes the file. */
function hasOpenJournal(file: string): boolean {
  try {
    return (readFileSync(`${file}-journal`)[0] ?? 0) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

type Records = Pick<DataDirLock, 'identity' | 'marks' | 'openMark' | 'runs'>;

function lockOn(db: DatabaseSync, { identity, marks, openMark, runs }: Records): DataDirLock {
  return {
    get identity() {
      return identity;
    },
    recordIdentity(next) {
      recordIdentity(db, next);
      identity = next;
    },
    get marks() {
      return marks;
    },
    recordMarks(next) {
      write(db, () => {
        db.exec('CREATE TABLE IF NOT EXISTS database_mark (value INTEGER NOT NULL)');
        db.exec('DELETE FROM database_mark');
        for (const mark of next) db.prepare('INSERT INTO database_mark (value) VALUES (?)').run(mark);
      });
      marks = next;
    },
    get openMark() {
      return openMark;
    },
    recordOpen(next) {
      write(db, () => {
        db.exec('CREATE TABLE IF NOT EXISTS open_database (mark INTEGER NOT NULL)');
        db.exec('DELETE FROM open_database');
        if (next !== undefined) db.prepare('INSERT INTO open_database (mark) VALUES (?)').run(next);
      });
      openMark = next;
    },
    get runs() {
      return runs;
    },
    recordRun(run) {
      write(db, () => {
        db.exec(
          'CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, mark INTEGER NOT NULL, log_number INTEGER NOT NULL)',
        );
        db.prepare('INSERT INTO run (mark, log_number) VALUES (?, ?)').run(run.mark, run.firstLogNumber);
        db.exec(`DELETE FROM run WHERE id <= (SELECT max(id) FROM run) - ${maxRuns}`);
      });
      runs = readRuns(db);
    },
    release: () => release(db),
  };
}

/** @throws Error that says what to do when the file cannot be opened */
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

/** Ends the lock before closing: below Node 24, the file stays open until the statements are garbage. */
function release(db: DatabaseSync): void {
  db.exec('ROLLBACK; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema');
  db.close();
}

function readIdentity(db: DatabaseSync): DirectoryIdentity | undefined {
  if (!db.prepare("SELECT name FROM sqlite_schema WHERE name = 'identity'").get()) return undefined;
  const row = db.prepare('SELECT store_id, is_complete FROM identity').get() as
    | { store_id: string; is_complete: number }
    | undefined;
  return row && { storeId: row.store_id, isComplete: row.is_complete === 1 };
}

function readMarks(db: DatabaseSync): number[] {
  if (!db.prepare("SELECT name FROM sqlite_schema WHERE name = 'database_mark'").get()) return [];
  return db
    .prepare('SELECT value FROM database_mark')
    .all()
    .map(({ value }) => Number(value));
}

function readOpen(db: DatabaseSync): number | undefined {
  if (!db.prepare("SELECT name FROM sqlite_schema WHERE name = 'open_database'").get()) return undefined;
  return (db.prepare('SELECT mark FROM open_database').get() as { mark: number } | undefined)?.mark;
}

function readRuns(db: DatabaseSync): Run[] {
  if (!db.prepare("SELECT name FROM sqlite_schema WHERE name = 'run'").get()) return [];
  return db
    .prepare('SELECT mark, log_number FROM run')
    .all()
    .map((row) => ({ mark: Number(row.mark), firstLogNumber: Number(row.log_number) }));
}

function recordIdentity(db: DatabaseSync, { storeId, isComplete }: DirectoryIdentity): void {
  write(db, () => {
    db.exec('CREATE TABLE IF NOT EXISTS identity (store_id TEXT NOT NULL, is_complete INTEGER NOT NULL)');
    db.exec('DELETE FROM identity');
    db.prepare('INSERT INTO identity (store_id, is_complete) VALUES (?, ?)').run(storeId, isComplete ? 1 : 0);
  });
}

/** Commits the writes of `work`, and keeps the lock. */
function write(db: DatabaseSync, work: () => void): void {
  try {
    work();
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.exec('BEGIN EXCLUSIVE');
  }
}
