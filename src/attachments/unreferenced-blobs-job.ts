import type { AttachmentStorage } from './attachment-storage.js';
import type { BlobStore } from './blob-store.port.js';

interface Log {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

const everyMs = 3_600_000;

/**
 * Counts the files that no attachment refers to, now and every hour, and logs their number. It removes none: that no
 * attachment refers to a file may also mean that the database is missing, empty or older than the files.
 */
export function reportUnclaimedFiles(deps: {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage;
  readonly logger: Log;
}): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const count = async () => {
    try {
      const unclaimed = await deps.blobs.countUnclaimed((checksums) =>
        deps.storage.committed.attachments.claimed(checksums),
      );
      if (unclaimed > 0)
        deps.logger.info({ unclaimed }, 'found attachment files that belong to no entry; none was removed');
    } catch (error) {
      deps.logger.error({ err: error }, 'counting attachment files that belong to no entry failed');
    }
  };
  const countNext = () => {
    running = running.then(count);
  };
  countNext();
  const timer = setInterval(countNext, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
