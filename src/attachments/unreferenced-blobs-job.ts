import type { Job } from '../kernel/background-job.js';
import type { Log } from '../kernel/log.js';
import type { AttachmentStorage } from './attachment-storage.js';
import type { BlobStore } from './blob-store.port.js';

/**
 * Counts the blobs that no attachment refers to, and logs their number. It removes none: a blob may also be
 * unreferenced because the database is missing, empty or older than the files.
 */
export function unreferencedBlobsJob({
  blobs,
  storage,
  log,
}: {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage;
  readonly log: Log;
}): Job {
  return {
    name: 'unreferenced-blobs',
    intervalMs: 3_600_000,
    retryMs: 600_000,
    failure: 'counting unreferenced attachment files failed; will retry',
    async run(signal) {
      const unreferenced = await blobs.countUnreferenced((checksums) => {
        signal.throwIfAborted();
        return storage.committed.attachments.referenced(checksums);
      });
      if (unreferenced > 0) log.info({ unreferenced }, 'unreferenced attachment files found; none removed');
      return 'idle';
    },
  };
}
