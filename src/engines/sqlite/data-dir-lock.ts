import { join } from 'node:path';
import { commandFor } from '../../kernel/command-hint.js';
import { type DatabaseSync, loadSqlite } from './database/connection.js';
import { isCorruption } from './database/sqlite-errors.js';

/** The data directory's own file: names the store to which the directory belongs, and holds the lock. */
export const lockFile = 'lock.sqlite';

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
  /** Whether a run recorded that it had the database open, and none since that it is closed. */
  readonly isUnclosed: boolean;
  /** Records, durably, whether the database is open. */
  recordOpen(isOpen: boolean): void;
  release(): void;
}

/**
 * Locks a data directory for this process.
 * @returns undefined when another process holds the lock
 * @throws Error that says what to do when the file is damaged
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock | undefined> {
  const DatabaseSync = await loadSqlite();
  const file = join(dataDir, lockFile);
  const db = new DatabaseSync(file, { timeout: 0 });
  let identity: DirectoryIdentity | undefined;
  let marks: readonly number[];
  let isUnclosed: boolean;
  try {
    // In this mode, the lock outlives a transaction. Nothing is written here: a full disk does not prevent the start.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = EXTRA; BEGIN EXCLUSIVE');
    identity = readIdentity(db);
    marks = readMarks(db);
    isUnclosed = readOpen(db);
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw isCorruption(error) ? damagedLock(dataDir, error as Error) : error;
  }
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
    get isUnclosed() {
      return isUnclosed;
    },
    recordOpen(isOpen) {
      write(db, () => {
        db.exec('CREATE TABLE IF NOT EXISTS database_state (is_open INTEGER NOT NULL)');
        db.exec('DELETE FROM database_state');
        db.prepare('INSERT INTO database_state (is_open) VALUES (?)').run(isOpen ? 1 : 0);
      });
      isUnclosed = isOpen;
    },
    release: () => release(db),
  };
}

function damagedLock(dataDir: string, { message }: Error): Error {
  return new Error(
    `${lockFile} in ${dataDir} is damaged (${message}). Nothing was changed. Make sure that no other process uses the directory, move ${lockFile} away, and run “${commandFor('adopt', dataDir)}”. See “When the service refuses to start” in docs/operator/data-directory.md.`,
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

function readOpen(db: DatabaseSync): boolean {
  if (!db.prepare("SELECT name FROM sqlite_schema WHERE name = 'database_state'").get()) return false;
  return (db.prepare('SELECT is_open FROM database_state').get() as { is_open: number } | undefined)?.is_open === 1;
}

function recordIdentity(db: DatabaseSync, { storeId, isComplete }: DirectoryIdentity): void {
  write(db, () => {
    db.exec('CREATE TABLE IF NOT EXISTS identity (store_id TEXT NOT NULL, is_complete INTEGER NOT NULL)');
    db.exec('DELETE FROM identity');
    db.prepare('INSERT INTO identity (store_id, is_complete) VALUES (?, ?)').run(storeId, isComplete ? 1 : 0);
  });
}

/** Commits what `work` writes, and goes on holding the lock. */
function write(db: DatabaseSync, work: () => void): void {
  try {
    work();
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.exec('BEGIN EXCLUSIVE');
  }
}
