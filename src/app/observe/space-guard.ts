import { statfs } from 'node:fs/promises';
import type { ServiceOptions } from '../../config/service-options.js';
import type { RequestMetrics } from '../../http/metrics.js';
import { Fault } from '../../kernel/fault.js';
import type { HealthCheck, HealthSource } from '../../kernel/health.js';
import type { Log } from '../../kernel/log.js';
import { withTimeout } from '../../kernel/with-timeout.js';

/** Time for which a reading is reused. */
const validMs = 500;
/**
 * Time limit for a reading. If a disk does not answer in time, its last reading is used, because writes to it fail
 * anyway.
 */
const readTimeoutMs = 2_000;
/** Maximum share of a small disk that must be free. */
const maxShare = 0.05;

interface Shortage {
  readonly dir: string;
  readonly freeBytes: number;
  readonly neededBytes: number;
}

interface Deps {
  readonly metrics: RequestMetrics;
  readonly log: Log;
}

/**
 * Makes the logbook read-only while a disk is nearly full, so that sign-ins, indexing and checkpoints still have space.
 * The logbook becomes writable automatically once there is enough space.
 */
export class SpaceGuard implements HealthSource {
  private readonly dirs: readonly string[];
  private readonly minFreeBytes: number;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;
  private shortage: Shortage | undefined;

  constructor(
    { storage, minFreeBytes }: Pick<ServiceOptions, 'storage' | 'minFreeBytes'>,
    private readonly deps: Deps,
  ) {
    this.minFreeBytes = minFreeBytes;
    const isShared = storage.kind === 'postgres' && storage.blobs.kind === 'files';
    this.dirs = [storage.dataDir, ...(isShared ? [storage.attachmentsDir] : [])];
    deps.metrics.storedGauge(
      'logbook_read_only',
      '1 while this node stores nothing because a disk is nearly full, otherwise 0.',
      async () => ((await this.findShortage()) ? 1 : 0),
    );
  }

  /** @throws Fault full `storage.read-only` while a disk is nearly full */
  async requireSpace(): Promise<void> {
    const shortage = await this.findShortage();
    if (!shortage) return;
    throw new Fault(
      'full',
      'storage.read-only',
      `The logbook is read-only, because its disk is nearly full: ${describe(shortage)}. Nothing was stored. Reading works; the operator has to free some space.`,
    );
  }

  async checkHealth(): Promise<HealthCheck[]> {
    const shortage = await this.findShortage();
    if (!shortage) return [{ name: 'space', status: 'ok', message: 'There is space to store entries.' }];
    const message = `The logbook is read-only: ${shortage.dir} has ${describe(shortage)} (minFreeSpace). Free some space; no restart is needed.`;
    const { freeBytes, neededBytes } = shortage;
    return [{ name: 'space', status: 'failed', message, details: { freeBytes, neededBytes } }];
  }

  private async findShortage(): Promise<Shortage | undefined> {
    // During a shortage, each request reads the disk anew, so that the first request after it succeeds.
    if (this.shortage || performance.now() - this.readAtMs >= validMs) {
      this.reading ??= this.read().finally(() => {
        this.reading = undefined;
      });
      const { reading } = this;
      await withTimeout(readTimeoutMs, () => reading).catch(() => undefined);
    }
    return this.shortage;
  }

  private async read(): Promise<void> {
    let found: Shortage | undefined;
    for (const dir of this.dirs) {
      const disk = await statfs(dir).catch(() => undefined);
      if (!disk) continue;
      const freeBytes = disk.bavail * disk.bsize;
      const neededBytes = Math.min(this.minFreeBytes, Math.floor(disk.blocks * disk.bsize * maxShare));
      if (freeBytes < neededBytes) found ??= { dir, freeBytes, neededBytes };
    }
    this.report(found);
    this.shortage = found;
    this.readAtMs = performance.now();
  }

  private report(found: Shortage | undefined): void {
    const { log } = this.deps;
    if (found && !this.shortage) log.error({ ...found }, 'disk is nearly full; the logbook is read-only');
    if (!found && this.shortage) log.info({}, 'enough free space again; the logbook accepts writes');
  }
}

const inMb = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

const describe = ({ freeBytes, neededBytes }: Shortage): string =>
  `${inMb(freeBytes)} free, and ${inMb(neededBytes)} are needed`;
