import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../../kernel/fault.js';
import type { Log } from '../../../kernel/log.js';

export interface OpenedFile {
  readonly path: string;
  readonly device: bigint;
  /** Inode as a bigint, because some file systems use inodes beyond the safe integers. */
  readonly inode: bigint;
}

/**
 * Detects when the files of an open database are moved, replaced or removed. SQLite would continue to write to the
 * files that it has open, and no later start would find the acknowledged writes.
 */
export class DatabaseFileCheck {
  private readonly opened: readonly OpenedFile[];
  /** Path of the file that was missing at the last check; undefined: all were in place. */
  private missed: string | undefined;

  /** @param database path of an open database with its write-ahead log; may be a symbolic link */
  constructor(
    database: string,
    private readonly log: Log,
  ) {
    // The log is next to the file itself, not next to a symbolic link to it.
    const paths = [database, `${realpathSync(database)}-wal`];
    this.opened = paths.map(identifyFile);
  }

  /** @throws Fault unavailable `storage.unavailable` when a file is not the one that was opened */
  require(): void {
    const missing = this.opened.find((file) => !isInPlace(file))?.path;
    if (missing !== undefined && missing !== this.missed) {
      const advice = 'move the original file back, or stop the service and restore a complete copy of the database';
      this.log.error({ file: basename(missing), advice }, 'database file was moved or replaced; refusing writes');
    }
    if (missing === undefined && this.missed !== undefined) {
      this.log.info({ file: basename(this.missed) }, 'database file is back; writes are accepted again');
    }
    this.missed = missing;
    if (missing !== undefined) throw replaced();
  }
}

/** Returns the properties that distinguish the file at this path from a replacement. */
export function identifyFile(path: string): OpenedFile {
  const { dev, ino } = statSync(path, { bigint: true });
  return { path, device: dev, inode: ino };
}

/**
 * Requires that the file was not replaced. Must be called right before opening a connection while the process has
 * others: the new one would share their log and shared memory, and destroy both if the file is a different one.
 * @throws Fault unavailable `storage.unavailable`
 */
export function requireInPlace(file: OpenedFile): void {
  if (!isInPlace(file)) throw replaced();
}

function isInPlace({ path, device, inode }: OpenedFile): boolean {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found !== undefined && found.dev === device && found.ino === inode;
}

function replaced(): Fault {
  return new Fault(
    'unavailable',
    'storage.unavailable',
    'The database was moved or replaced while the service was using it; nothing was stored. The log of the service says what to do.',
  );
}
