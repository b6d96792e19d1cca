import { randomInt } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Connection } from './database/connection.js';

/**
 * Each start writes a new mark into the database file and records it in the data directory. A write-ahead log left by a
 * crash belongs to the file with the mark of that run. Applying it to a restored copy of an earlier run would mix two
 * states of the database, without the writes between them.
 */

/** Offset of the application id in a database file, which SQLite leaves to applications. */
const markOffset = 68;

export function newMark(): number {
  return randomInt(1, 2 ** 31 - 1);
}

/**
 * Reads the mark from the database file itself, ignoring the write-ahead log; undefined: there is no such file. While
 * this function runs, this process must have no connection to the file: when a process closes a file, the operating
 * system drops all of its locks on the file. Another program, such as `sqlite3`, could then remove the write-ahead log
 * in use.
 */
export function readMark(file: string): number | undefined {
  return readNumber(file, markOffset)?.readInt32BE();
}

/**
 * A run of the service: the mark of its database file, and the first number of its write-ahead log. SQLite chooses the
 * number of a new log at random, and increments it each time it restarts the log from the beginning.
 */
export interface Run {
  readonly mark: number;
  readonly firstLogNumber: number;
}

/** Offset of the log number in the write-ahead log. */
const logNumberOffset = 16;
/** Maximum number of times that one run restarts its log from the beginning. */
const maxLogNumbers = 2 ** 22;

/** Reads the number of the write-ahead log of a database; undefined: the log is missing or empty. */
export function readLogNumber(file: string): number | undefined {
  return readNumber(`${file}-wal`, logNumberOffset)?.readUInt32BE();
}

/** Whether a log with this number can belong to the run. */
export function isLogOf({ firstLogNumber }: Run, logNumber: number): boolean {
  return (logNumber - firstLogNumber) >>> 0 < maxLogNumbers;
}

function readNumber(file: string, offset: number): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(4);
    return readSync(descriptor, bytes, 0, 4, offset) === 4 ? bytes : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes the mark into the database file; returns whether it reached the file rather than only the write-ahead log.
 * Call it before other connections read, because the checkpoint cannot complete while they do.
 */
export function writeMark(writer: Connection, mark: number): boolean {
  writer.exec(`PRAGMA application_id = ${mark}`);
  const moved = writer.get<{ busy: number; log: number; checkpointed: number }>('PRAGMA wal_checkpoint(PASSIVE)');
  return moved?.busy === 0 && moved.log === moved.checkpointed;
}
