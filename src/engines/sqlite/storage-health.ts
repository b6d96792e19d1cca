import { CachedCheck } from '../../kernel/cached-check.js';
import { Fault } from '../../kernel/fault.js';
import type { HealthCheck } from '../../kernel/health.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { type DiskSpace, readDiskSpace } from './database/disk-space.js';

const writeTimeoutMs = 5_000;
/** How long a result is reused. A check costs a sync of the disk, and anybody may request one. */
const validMs = 1_000;
/** Below this much free space, or this part of the disk if that is less, an operator should act. */
const lowSpace = { bytes: 2_147_483_648, share: 0.05 };

/** Checks that writes are stored and that the disk has space for more. */
export class StorageHealth {
  private readonly checks = new CachedCheck(validMs, () => Promise.all([this.checkWrite(), this.checkDisk()]));

  constructor(
    /** Stores something, as every write does. */
    private readonly probe: () => Promise<unknown>,
    private readonly file: string,
  ) {}

  check(): Promise<HealthCheck[]> {
    return this.checks.read();
  }

  private async checkWrite(): Promise<HealthCheck> {
    const startedMs = performance.now();
    try {
      await withTimeout(writeTimeoutMs, () => this.probe());
      const details = { milliseconds: Math.round(performance.now() - startedMs) };
      return { name: 'write', status: 'ok', message: 'A test record was stored.', details };
    } catch (error) {
      const reason = error instanceof Fault ? error.message : 'The test record was not stored in time.';
      return { name: 'write', status: 'failed', message: reason };
    }
  }

  private async checkDisk(): Promise<HealthCheck> {
    let space: DiskSpace;
    try {
      space = readDiskSpace(this.file);
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
}
