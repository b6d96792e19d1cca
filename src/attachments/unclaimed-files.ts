import type { Storage } from '../storage/storage.port.js';
import type { BlobStore } from './blob-store.port.js';

interface Log {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

const everyMs = 3_600_000;

/** Removes the files that no attachment refers to, now and every hour: those of submissions that a crash cut short. */
export function sweepUnclaimedFiles(deps: {
  readonly blobs: BlobStore;
  readonly storage: Storage;
  readonly logger: Log;
}): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const sweep = async () => {
    try {
      const removed = await deps.blobs.removeUnclaimed((checksums) =>
        deps.storage.committed.attachments.claimed(checksums),
      );
      if (removed > 0) deps.logger.info({ removed }, 'removed files that belong to no entry');
    } catch (error) {
      deps.logger.error({ err: error }, 'looking for files that belong to no entry failed');
    }
  };
  const sweepNext = () => {
    running = running.then(sweep);
  };
  sweepNext();
  const timer = setInterval(sweepNext, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
