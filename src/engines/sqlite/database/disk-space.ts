import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Fault } from '../../../kernel/fault.js';
import type { Connection } from './connection.js';
import { diskFull } from './sqlite-errors.js';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Of the disk that holds `file`. */
export function freeSpace(file: string): DiskSpace {
  const { bavail, bsize, blocks } = statfsSync(dirname(file));
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** What a shared commit may take beyond what is counted; a larger one ends at the disk itself. */
const marginBytes = 1_048_576;
/** What it takes in the log to take something away: a few pages. */
const removalBytes = 65_536;

/**
 * What is committed stands in the write-ahead log until it is moved into the database, which grows by it. A disk that
 * the log alone had filled could never be written again, however much space somebody made: so room for the growth to
 * come is left free. What only takes away makes nothing grow, and may use what is left of the margin.
 * @returns a Fault full `storage.full` where there is no room
 */
export function checkFreeSpace(what: 'store' | 'remove', connection: Connection, file: string): Fault | undefined {
  const row = connection.get<{ bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  const growthBytes = Math.max(0, (row?.bytes ?? 0) - statSync(file).size);
  if (what === 'remove' && growthBytes === 0) return undefined;
  const { freeBytes } = freeSpace(file);
  return freeBytes < growthBytes + (what === 'remove' ? removalBytes : marginBytes) ? diskFull() : undefined;
}
