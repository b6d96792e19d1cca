import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Fault } from '../../../kernel/fault.js';
import { diskFull } from '../../../kernel/storage-faults.js';
import type { Connection } from './connection.js';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export function readDiskSpace(file: string): DiskSpace {
  const { bavail, bsize, blocks } = statfsSync(dirname(file));
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Reserve for one shared commit. A commit that needs more space fails when the disk is full. */
const marginBytes = 1_048_576;
/** Space that a removal needs in the write-ahead log: a few pages. */
const removalBytes = 65_536;

/**
 * Returns the Fault that refuses a write for lack of disk space: full `storage.full`; undefined: there is enough space.
 * A commit stays in the write-ahead log until a checkpoint moves it into the database file, which grows accordingly. If
 * the log filled the disk, no checkpoint could finish, even after space was freed. Space for the pending growth is
 * therefore reserved. A removal does not grow the database and may use part of the margin.
 */
export function refusalForLackOfSpace(
  what: 'store' | 'remove',
  connection: Connection,
  file: string,
): Fault | undefined {
  const row = connection.get<{ bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  const growthBytes = Math.max(0, (row?.bytes ?? 0) - statSync(file).size);
  if (what === 'remove' && growthBytes === 0) return undefined;
  const { freeBytes } = readDiskSpace(file);
  return freeBytes < growthBytes + (what === 'remove' ? removalBytes : marginBytes) ? diskFull() : undefined;
}
