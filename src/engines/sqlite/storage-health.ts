import { CachedCheck } from '../../kernel/cached-check.js';
import { Fault } from '../../kernel/fault.js';
import type { HealthCheck } from '../../kernel/health.js';
import { checkWrite, healthValidMs } from '../check-write.js';
import { type DiskSpace, readDiskSpace } from './database/disk-space.js';

/** Free space, in bytes or as a share of the disk, whichever is less, below which an operator should act. */
const lowSpace = { bytes: 2_147_483_648, share: 0.05 };

/**
 * Returns the check that writes are stored and that the disk has free space.
 * @param probe performs a small write
 */
export function storageHealth(probe: () => Promise<unknown>, file: string): CachedCheck<HealthCheck[]> {
  const messages = {
    stored: 'A test record was stored.',
    explain: (error: unknown) => (error instanceof Fault ? error.message : 'The test record was not stored in time.'),
  };
  return new CachedCheck(healthValidMs, () => Promise.all([checkWrite(probe, messages), checkDisk(file)]));
}

async function checkDisk(file: string): Promise<HealthCheck> {
  let space: DiskSpace;
  try {
    space = readDiskSpace(file);
  } catch {
    return { name: 'disk', status: 'warning', message: 'The free space of the disk cannot be read.' };
  }
  const { freeBytes, totalBytes } = space;
  const isLow = freeBytes < Math.min(lowSpace.bytes, totalBytes * lowSpace.share);
  return {
    name: 'disk',
    status: isLow ? 'warning' : 'ok',
    message: `${Math.floor(freeBytes / 1_048_576)} MB are free${isLow ? '; free some space soon' : ''}.`,
    details: { freeBytes, totalBytes },
  };
}
