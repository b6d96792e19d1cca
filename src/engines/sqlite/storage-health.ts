import { CachedCheck } from '../../kernel/cached-check.js';
import { Fault } from '../../kernel/fault.js';
import type { HealthCheck } from '../../kernel/health.js';
import { checkWrite, healthValidMs } from '../check-write.js';
import { type DiskSpace, readDiskSpace } from './database/disk-space.js';

/** Below this much free space, or this part of the disk if that is less, an operator should act. */
const lowSpace = { bytes: 2_147_483_648, share: 0.05 };

/**
 * Returns the check that writes are stored and that the disk has space for more.
 * @param probe stores something, as every write does
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
