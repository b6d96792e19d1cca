import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDiskSpace } from './database/disk-space.js';

/**
 * Name of a file that only occupies space. SQLite needs a few files next to each open database, and removes them when
 * it closes the database. Without the reserved space, a service that was stopped on a full disk could not be restarted,
 * not even for reading.
 */
export const reservedFile = 'reserved-space';
const reservedBytes = 524_288;
/** Free space that must remain for the file to be created at startup. */
const spareBytes = 4_194_304;

/** Removes the file if the disk has less free space than the file occupies; returns whether it was removed. */
export function freeReservedSpace(dataDir: string): boolean {
  const file = join(dataDir, reservedFile);
  if (!existsSync(file) || readDiskSpace(file).freeBytes >= reservedBytes) return false;
  rmSync(file);
  return true;
}

/** Creates the file if it is missing and the disk has ample space. */
export function reserveSpace(dataDir: string): void {
  const file = join(dataDir, reservedFile);
  if (!existsSync(file) && readDiskSpace(file).freeBytes >= spareBytes) occupy(file);
}

/** Recreates the file that `freeReservedSpace` removed, as large as the disk permits. */
export function restoreReservedSpace(dataDir: string): void {
  occupy(join(dataDir, reservedFile));
}

function occupy(file: string): void {
  try {
    // Random bytes, because a file system may store zeros without allocating space.
    writeFileSync(file, randomBytes(reservedBytes), { mode: 0o600 });
  } catch {
    // The part already written counts, too.
  }
}
