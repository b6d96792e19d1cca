import type { Job } from '../kernel/background-job.js';
import type { Integrity } from '../kernel/integrity.js';
import type { AttachmentStorage } from './attachment-storage.js';

interface Deps {
  readonly storage: AttachmentStorage;
  readonly integrity: Pick<Integrity, 'subjects' | 'resolve'>;
}

/** Returns the job that queues files with damaged texts for a new extraction, until the texts are intact. */
export function textRenewalJob({ storage, integrity }: Deps, intervalMs = 60_000): Job {
  return {
    name: 'text-renewal',
    delayMs: 500,
    intervalMs,
    failure: 'renewing damaged texts of attachments failed; will retry',
    async run(signal) {
      for (const checksum of integrity.subjects('extracted-text')) {
        if (signal.aborted) break;
        const found = await storage.write((tx) => tx.attachments.renewText(checksum));
        if (found === 'intact' || found === 'none') integrity.resolve('extracted-text', checksum);
      }
      return 'idle';
    },
  };
}
