import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDiskSpace } from './database/disk-space.js';

/**
 * A file that only occupies space. SQLite needs a few files next to each database that it opens, and removes them when
 * it closes it: without this space, a service that was stopped on a full disk could not start, not even to be read
 * from.
 */
export const reservedFile = 'reserved-space';
const reservedBytes = 524_288;
/** The file is created at the start only if this much space is left. */
const spareBytes = 4_194_304;

/** Frees the reserved space if the disk has less; returns whether it did. */
export function freeReservedSpace(dataDir: string): boolean {
  const file = join(dataDir, reservedFile);
  if (!existsSync(file) || readDiskSpace(file).freeBytes >= reservedBytes) return false;
  rmSync(file);
  return true;
}

/** Reserves space if there is plenty and none is reserved. */
export function reserveSpace(dataDir: string): void {
  const file = join(dataDir, reservedFile);
  if (!existsSync(file) && readDiskSpace(file).freeBytes >= spareBytes) occupy(file);
}

/** Reserves again what `freeReservedSpace` freed, or as much of it as there is. */
export function restoreReservedSpace(dataDir: string): void {
  occupy(join(dataDir, reservedFile));
}

function occupy(file: string): void {
  try {
    // Random, since a file system may store zeros without space for them.
    writeFileSync(file, randomBytes(reservedBytes), { mode: 0o600 });
  } catch {
    // The part that was written counts too.
  }
}
