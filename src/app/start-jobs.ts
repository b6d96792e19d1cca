import { startTextExtraction } from '../attachments/text-extraction-job.js';
import { unreferencedBlobsJob } from '../attachments/unreferenced-blobs-job.js';
import type { RequestMetrics } from '../http/metrics.js';
import { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { CleanupStack } from './cleanup-stack.js';
import type { Stores } from './open-storage.js';

/** Creates the background jobs of the process, none of which is started yet, and their metrics. */
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

/**
 * Starts the jobs that no other part starts for itself. The others, each started by its owner: `wal-checkpoint`
 * (sqlite-storage), `search-indexing` (sqlite-search-index), `audit-flush` and `audit-retention` (audit-log),
 * `live-feed` (live-feed) and `tls-reload` (tls-reload).
 */
export function startJobs(
  jobs: JobRegistry,
  { storage, blobs }: Stores,
  { attachmentTextSearch }: { readonly attachmentTextSearch: boolean },
  log: Log,
  cleanup: CleanupStack,
): void {
  const attachmentLog = log.child({ part: 'attachments' });
  const unreferencedBlobs = jobs.start(unreferencedBlobsJob({ blobs, storage, log: attachmentLog }));
  unreferencedBlobs.trigger();
  cleanup.defer(() => unreferencedBlobs.stop());

  if (attachmentTextSearch) {
    const textExtraction = startTextExtraction({ blobs, storage, log: attachmentLog, jobs });
    cleanup.defer(() => textExtraction.stop());
  }
}

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
