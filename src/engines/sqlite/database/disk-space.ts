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

/** Extra space for one shared commit. A commit that needs more fails on the full disk itself. */
const marginBytes = 1_048_576;
/** Space that a removal needs in the write-ahead log: a few pages. */
const removalBytes = 65_536;

/**
 * Returns the Fault that refuses a write for lack of disk space: full `storage.full`; undefined when there is enough.
 *
 * A commit stays in the write-ahead log until a checkpoint moves it into the database file, which grows by as much. If
 * the log could fill the disk, no checkpoint could ever finish, even after space was freed; so the space for the
 * pending growth is reserved. A removal does not grow the database and may use part of the margin.
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
