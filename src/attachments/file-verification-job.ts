import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../kernel/background-job.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import type { AttachmentStorage } from './attachment-storage.js';
import type { VerificationProgress } from './attachment-store.port.js';
import type { BlobStore } from './blob-store.port.js';

const weekMs = 7 * 86_400_000;
/** Bytes read per second. Verifying 28 GB takes an hour. */
const defaultRate = 8 * 1_048_576;
/**
 * Minimum number of bytes counted for each file, even a missing one: examining any file takes time on the event loop.
 */
const minBytes = 131_072;
const batchSize = 50;

interface Deps {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage;
  readonly log: Log;
  readonly clock?: Clock;
}

/**
 * Verifies all files of attachments against their checksums, slowly and one after the other. The next pass begins a
 * week later. After a restart, a pass continues where it stopped.
 */
export class FileVerification {
  private completedMs: number | undefined;

  constructor(
    private readonly deps: Deps,
    private readonly bytesPerSecond = defaultRate,
  ) {}

  /** Seconds since the last complete pass; undefined before the first. */
  get ageSeconds(): number | undefined {
    if (this.completedMs === undefined) return undefined;
    return ((this.deps.clock ?? systemClock).nowMs() - this.completedMs) / 1_000;
  }

  job(): Job {
    return {
      name: 'file-verification',
      isShared: true,
      delayMs: 30_000,
      intervalMs: 3_600_000,
      retryMs: 600_000,
      failure: 'verifying attachment files failed; will retry',
      run: (signal) => this.verifyBatch(signal),
    };
  }

  private async verifyBatch(signal: AbortSignal): Promise<'more' | 'idle'> {
    const { attachments } = this.deps.storage.committed;
    const progress = (await attachments.findVerification()) ?? { afterChecksum: '' };
    this.completedMs = progress.completedMs;
    if (progress.afterChecksum === '' && this.isRecent(progress)) return 'idle';
    const files = await attachments.listFiles(progress.afterChecksum, batchSize);
    for (const file of files) {
      let bytesRead = 0;
      // The store itself reports damaged files.
      await this.deps.blobs.verify(file, (bytes) => {
        bytesRead += bytes;
        return this.pace(bytes, signal);
      });
      await this.pace(Math.max(0, minBytes - bytesRead), signal);
    }
    const last = files.length === batchSize ? files.at(-1) : undefined;
    await this.record(last ? { ...progress, afterChecksum: last.checksum } : undefined);
    return last ? 'more' : 'idle';
  }

  /** @param progress undefined when the pass is complete */
  private async record(progress: VerificationProgress | undefined): Promise<void> {
    const completedMs = (this.deps.clock ?? systemClock).nowMs();
    const next = progress ?? { afterChecksum: '', completedMs };
    await this.deps.storage.write((tx) => tx.attachments.storeVerification(next));
    this.completedMs = next.completedMs;
    if (!progress) this.deps.log.info({}, 'all attachment files verified');
  }

  private isRecent({ completedMs }: VerificationProgress): boolean {
    const ageMs = (this.deps.clock ?? systemClock).nowMs() - (completedMs ?? Number.NEGATIVE_INFINITY);
    // A pass that ended in the future was recorded by a wrong clock.
    return ageMs >= 0 && ageMs < weekMs;
  }

  private async pace(bytes: number, signal: AbortSignal): Promise<void> {
    await sleep((bytes / this.bytesPerSecond) * 1_000, undefined, { signal, ref: false });
  }
}
