import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Connection, diskFull } from './database.js';

/** What a shared commit may take beyond what is counted; a larger one ends at the disk itself. */
const marginBytes = 1_048_576;

export interface DiskRoom {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Of the disk that holds `file`. */
export function diskRoom(file: string): DiskRoom {
  const { bavail, bsize, blocks } = statfsSync(dirname(file));
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/**
 * What is committed stands in the write-ahead log until it is moved into the database, which grows by it. A disk that
 * the log alone had filled could never be written again, however much space somebody made: so room for the growth to
 * come is left free.
 * @throws Fault full `storage.full`
 */
export function checkDiskRoom(connection: Connection, file: string): void {
  const row = connection.get<{ bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  const growthBytes = Math.max(0, (row?.bytes ?? 0) - statSync(file).size);
  if (diskRoom(file).freeBytes < growthBytes + marginBytes) throw diskFull();
}
