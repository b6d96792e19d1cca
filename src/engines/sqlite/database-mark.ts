import { randomInt } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Connection } from './database/connection.js';

/**
 * Each start gives the database file a mark of its own and records it in the data directory. A write-ahead log that a
 * crash has left belongs to the file with the mark of that run: applied to a restored copy of an earlier run, it would
 * mix the two, and writes that are in neither would be lost.
 */

/** Offset in a database file of the number that SQLite leaves to applications. */
const markOffset = 68;

export function newMark(): number {
  return randomInt(1, 2 ** 31 - 1);
}

/**
 * Reads the mark from the database file itself, without its write-ahead log; undefined when there is no such file. No
 * connection of this process may have it open, or be opened before those have closed it: the operating system drops all
 * locks that a process has on a file when it closes it once, and another program, such as `sqlite3`, would then remove the
 * write-ahead log that is in use.
 */
export function readMark(file: string): number | undefined {
  return readNumber(file, markOffset)?.readInt32BE();
}

/**
 * A run of the service: the mark of its database file, and the number that its write-ahead log began with. SQLite chooses
 * that number at random for a new log, and increases it by one each time that it writes the log from its beginning.
 */
export interface Run {
  readonly mark: number;
  readonly firstLogNumber: number;
}

/** Offset of the number of a write-ahead log in its file. */
const logNumberOffset = 16;
/** Maximum number of times that one run writes its log from the beginning. */
const maxLogNumbers = 2 ** 22;

/** Reads the number of the write-ahead log of a database; undefined when there is none, or nothing in it. */
export function readLogNumber(file: string): number | undefined {
  return readNumber(`${file}-wal`, logNumberOffset)?.readUInt32BE();
}

/** Whether a log with this number can be of that run. */
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
 * Writes the mark into the database file; returns whether it is there, and not only in the write-ahead log. Call it before
 * other connections read, because a checkpoint would have to wait for them.
 */
export function writeMark(writer: Connection, mark: number): boolean {
  writer.exec(`PRAGMA application_id = ${mark}`);
  const moved = writer.get<{ busy: number; log: number; checkpointed: number }>('PRAGMA wal_checkpoint(PASSIVE)');
  return moved?.busy === 0 && moved.log === moved.checkpointed;
}
