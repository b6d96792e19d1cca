import type { Job } from '../kernel/background-job.js';
import type { Log } from '../kernel/log.js';
import type { AttachmentStorage } from './attachment-storage.js';
import type { BlobStore } from './blob-store.port.js';

const intervalMs = 3_600_000;
const dayMs = 86_400_000;

export interface QuarantineOptions {
  /** Time for which a file must be seen unreferenced before it goes into quarantine. */
  readonly beforeQuarantineMs: number;
  /** Time after which a file in quarantine is removed. */
  readonly inQuarantineMs: number;
}

const defaultQuarantine: QuarantineOptions = { beforeQuarantineMs: dayMs, inQuarantineMs: 30 * dayMs };

/** Number of files that are moved or removed after one query. */
const batchSize = 200;

interface Deps {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage;
  readonly log: Log;
  /** Monotonic time in milliseconds. */
  readonly monotonicMs?: () => number;
}

/**
 * Returns the job that moves files to which no attachment or draft refers into quarantine, and removes them later. Only
 * the time during which this job saw a file unreferenced counts. A monotonic clock measures it, and the database
 * records it, so that a restored database, a long stop or a wrong clock removes nothing. A file that is referenced
 * again leaves the quarantine.
 */
export function quarantineJob(deps: Deps, options: QuarantineOptions = defaultQuarantine): Job {
  const { monotonicMs = () => performance.now() } = deps;
  let previousMs: number | undefined;
  return {
    name: 'file-quarantine',
    isShared: true,
    // The former node has already counted the time before the takeover.
    onTakeOver() {
      previousMs = undefined;
    },
    intervalMs,
    retryMs: 600_000,
    failure: 'checking for unreferenced attachment files failed; will retry',
    async run(signal) {
      const nowMs = monotonicMs();
      const sweep = new Sweep(deps, nowMs - (previousMs ?? nowMs), signal);
      // Set before the sweep, so that a run that fails does not count its time twice.
      previousMs = nowMs;
      const counts = {
        unreferenced: await sweep.observeStored(),
        quarantined: await sweep.quarantine(options.beforeQuarantineMs),
        restored: await sweep.observeQuarantined(),
        removed: await sweep.remove(options.inQuarantineMs),
      };
      if (Object.values(counts).some((count) => count > 0)) {
        deps.log.info(counts, 'unreferenced attachment files found');
      }
      return 'idle';
    },
  };
}

class Sweep {
  constructor(
    private readonly deps: Deps,
    private readonly elapsedMs: number,
    private readonly signal: AbortSignal,
  ) {}

  /** Records which stored files are unreferenced; returns their number. */
  async observeStored(): Promise<number> {
    let count = 0;
    for await (const batch of this.deps.blobs.list()) {
      const inUse = await this.referenced(batch);
      const unreferenced = batch.filter((checksum) => !inUse.has(checksum));
      await this.observe(unreferenced, 'stored');
      count += unreferenced.length;
    }
    return count;
  }

  /** Moves files into quarantine; returns their number. */
  async quarantine(observedMs: number): Promise<number> {
    const { blobs, storage } = this.deps;
    let count = 0;
    for (;;) {
      const due = await storage.committed.attachments.listUnreferenced('stored', observedMs, batchSize);
      if (due.length === 0) return count;
      count += (await blobs.quarantine((checksums) => this.referenced(checksums), due)).length;
      // Removes the times of all of them, including files that are now referenced or no longer exist.
      await storage.write((tx) => tx.attachments.forgetUnreferenced(due));
    }
  }

  /** Restores files that are referenced again, and returns their number; observes the others. */
  async observeQuarantined(): Promise<number> {
    const { blobs, storage } = this.deps;
    let restored = 0;
    for await (const batch of blobs.listQuarantined()) {
      const inUse = await this.referenced(batch);
      for (const checksum of inUse) await blobs.restore(checksum);
      if (inUse.size > 0) await storage.write((tx) => tx.attachments.forgetUnreferenced([...inUse]));
      restored += inUse.size;
      await this.observe(
        batch.filter((checksum) => !inUse.has(checksum)),
        'quarantined',
      );
    }
    return restored;
  }

  /** Permanently removes files; returns their number. */
  async remove(observedMs: number): Promise<number> {
    const { blobs, storage } = this.deps;
    let count = 0;
    for (;;) {
      const due = await storage.committed.attachments.listUnreferenced('quarantined', observedMs, batchSize);
      if (due.length === 0) return count;
      const inUse = await this.referenced(due);
      for (const checksum of due) {
        if (inUse.has(checksum)) continue;
        await blobs.removeQuarantined(checksum);
        count += 1;
      }
      await storage.write((tx) => tx.attachments.forgetUnreferenced(due));
    }
  }

  private async observe(checksums: readonly string[], state: 'stored' | 'quarantined'): Promise<void> {
    if (checksums.length === 0) return;
    await this.deps.storage.write((tx) => tx.attachments.observeUnreferenced(checksums, state, this.elapsedMs));
  }

  private referenced(checksums: readonly string[]): Promise<ReadonlySet<string>> {
    this.signal.throwIfAborted();
    return this.deps.storage.committed.attachments.referenced(checksums);
  }
}
