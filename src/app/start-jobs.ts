import { FileVerification } from '../attachments/file-verification-job.js';
import { quarantineJob } from '../attachments/quarantine-job.js';
import { startTextExtraction } from '../attachments/text-extraction-job.js';
import type { ServiceOptions } from '../config/service-options.js';
import { draftExpiryJob } from '../drafts/draft-expiry-job.js';
import { redactedFilesJob } from '../entries/redacted-files-job.js';
import type { RequestMetrics } from '../http/metrics.js';
import { Integrity } from '../kernel/integrity.js';
import { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { AgeDeps } from '../kernel/removal-by-age.js';
import { keyExpiryJob } from '../kernel/write-once.js';
import { ledgerJob } from '../ledger/ledger-job.js';
import { abandonedRunsJob } from '../search/abandoned-runs-job.js';
import type { CleanupStack } from './cleanup-stack.js';
import { memoryReleaseJob } from './memory-release-job.js';
import type { Stores } from './open-storage.js';
import { startVerification } from './start-verification.js';

/** Creates the registry of the background jobs of the process, and the metrics of the jobs. No job is started yet. */
export function createJobs(metrics: RequestMetrics, log: Log): JobRegistry {
  const jobs = new JobRegistry({ log: log.child({ part: 'jobs' }) });
  metrics.gaugePer(
    'job',
    'logbook_job_last_success_timestamp_seconds',
    'When the background job last succeeded, in seconds since the epoch; absent before the first success.',
    () => jobs.list().map(({ name, lastSuccessMs }) => [name, inSeconds(lastSuccessMs)]),
  );
  metrics.gaugePer(
    'job',
    'logbook_job_last_duration_seconds',
    'How long the last run of the background job took; absent before the first run.',
    () => jobs.list().map(({ name, lastDurationMs }) => [name, inSeconds(lastDurationMs)]),
  );
  metrics.gaugePer('job', 'logbook_job_failing', '1 if the last run of the background job failed, otherwise 0.', () =>
    jobs.list().map(({ name, lastError }) => [name, lastError === undefined ? 0 : 1]),
  );
  return jobs;
}

/** Creates the record of damaged data, and its metric. */
export function createIntegrity(metrics: RequestMetrics, log: Log): Integrity {
  const integrity = new Integrity(log.child({ part: 'integrity' }));
  metrics.gaugePer(
    'kind',
    'logbook_damaged_data',
    'The number of files, documents, databases, search indexes, extracted texts and rows of the change feed that were found damaged since the start, and not found intact afterwards.',
    () => integrity.list(),
  );
  return integrity;
}

interface JobParts extends AgeDeps {
  readonly jobs: JobRegistry;
  readonly stores: Stores;
  readonly integrity: Integrity;
  readonly metrics: RequestMetrics;
  readonly log: Log;
}

/** Starts the jobs that no other part starts. Each other job is started where its subject is opened. */
export function startJobs(
  {
    jobs,
    stores: { storage, blobs, searchIndex, thumbnailStore: thumbnails },
    integrity,
    metrics,
    log: serviceLog,
    clock,
    clockWatch,
  }: JobParts,
  { attachmentTextSearch, runTimeoutMs: timeoutMs }: Pick<ServiceOptions, 'attachmentTextSearch' | 'runTimeoutMs'>,
  cleanup: CleanupStack,
): void {
  const memoryRelease = jobs.start(memoryReleaseJob());
  cleanup.defer(() => memoryRelease.stop());

  const log = serviceLog.child({ part: 'attachments' });
  const quarantine = jobs.start(quarantineJob({ blobs, storage, log }));
  const verification = new FileVerification({ blobs, storage, log });
  metrics.gaugePer(
    'job',
    'logbook_file_verification_age_seconds',
    'Time since all attachment files were last verified; absent before the first time.',
    () => [['file-verification', verification.ageSeconds]],
  );
  const verifying = jobs.start(verification.job());
  const draftExpiry = jobs.start(draftExpiryJob({ storage, clock, clockWatch }));
  const keyExpiry = jobs.start(keyExpiryJob({ storage, clock, clockWatch }));
  const ledger = jobs.start(ledgerJob(storage));
  cleanup.defer(
    storage.onCommit(({ entries, catalog }) => {
      if (entries || catalog) ledger.trigger();
    }),
  );
  const redacted = jobs.start(redactedFilesJob({ storage, blobs, thumbnails }));
  cleanup.defer(
    storage.onCommit(({ files }) => {
      if (files) redacted.trigger();
    }),
  );
  const abandonedRuns = jobs.start(abandonedRunsJob({ storage, searchIndex, clock, timeoutMs }));
  for (const job of [quarantine, verifying, draftExpiry, keyExpiry, ledger, redacted, abandonedRuns]) {
    job.trigger();
    cleanup.defer(() => job.stop());
  }
  startVerification({ jobs, storage, integrity, log: serviceLog }, attachmentTextSearch, cleanup);
  if (attachmentTextSearch) {
    const textExtraction = startTextExtraction({ blobs, storage, log, jobs });
    measureExtraction(textExtraction, metrics);
    cleanup.defer(() => textExtraction.stop());
  }
}

function measureExtraction(
  { unreadableFiles, missingFiles }: ReturnType<typeof startTextExtraction>,
  metrics: RequestMetrics,
): void {
  metrics.gauge(
    'logbook_attachments_unreadable',
    'Attachment files whose text could not be extracted since the start; they are found by their names only.',
    unreadableFiles,
  );
  metrics.gauge(
    'logbook_attachments_missing',
    'Attachment files that could not be read when the service last tried to extract their text; it will retry.',
    missingFiles,
  );
}

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
