import { textRenewalJob } from '../attachments/text-renewal-job.js';
import { rowVerificationJob } from '../entries/row-verification-job.js';
import type { Integrity } from '../kernel/integrity.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { CleanupStack } from './cleanup-stack.js';
import type { Stores } from './open-storage.js';

interface Parts extends Pick<Stores, 'storage'> {
  readonly jobs: JobRegistry;
  readonly integrity: Integrity;
  readonly log: Log;
}

/** Starts the jobs that verify rows, and that extract damaged texts of attachments again. */
export function startVerification(
  { jobs, storage, integrity, log: serviceLog }: Parts,
  attachmentTextSearch: boolean,
  cleanup: CleanupStack,
): void {
  const log = serviceLog.child({ part: 'integrity' });
  if (storage.rowVerification) {
    const verification = jobs.start(rowVerificationJob({ storage: storage.rowVerification, log }));
    verification.trigger();
    cleanup.defer(() => verification.stop());
  }
  // Renewal needs text extraction, which is off here.
  if (!attachmentTextSearch) return;
  const renewal = jobs.start(textRenewalJob({ storage, integrity }));
  renewal.trigger();
  cleanup.defer(() => renewal.stop());
  cleanup.defer(
    integrity.onReport(({ kind }) => {
      if (kind === 'extracted-text') renewal.trigger();
    }),
  );
}
