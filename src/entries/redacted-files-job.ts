import type { BlobStore } from '../attachments/blob-store.port.js';
import type { ThumbnailStore } from '../attachments/thumbnail-store.port.js';
import type { Job } from '../kernel/background-job.js';
import type { EntryStorage } from './entry-storage.js';

interface Deps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly thumbnails: ThumbnailStore;
}

/** Returns the job that removes unreferenced files after a redaction, without the usual delay. */
export function redactedFilesJob({ storage, blobs, thumbnails }: Deps): Job {
  const { attachments, redactions } = storage.committed;
  return {
    name: 'redacted-files',
    intervalMs: 3_600_000,
    failure: 'files that were redacted could not be removed; will retry',
    isShared: true,
    async run() {
      const checksums = await redactions.listFilesToRemove();
      if (checksums.length === 0) return 'idle';
      // A file that is in use elsewhere stays, because the same content under another attachment is not redacted.
      await blobs.quarantine((some) => attachments.referenced(some), checksums);
      const referenced = await attachments.referenced(checksums);
      for (const checksum of checksums) {
        if (referenced.has(checksum)) continue;
        await blobs.removeQuarantined(checksum);
        await thumbnails.removeOf(checksum);
      }
      await storage.write(async (tx) => {
        const done = new Set(checksums);
        const left = (await tx.redactions.listFilesToRemove()).filter((checksum) => !done.has(checksum));
        await tx.redactions.putFilesToRemove(left);
        await tx.attachments.forgetUnreferenced(checksums);
      });
      return 'more';
    },
  };
}
