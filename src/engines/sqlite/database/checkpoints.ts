import type { Job } from '../../../kernel/background-job.js';
import type { WorkerPool } from '../workers/worker-pool.js';

/** The job that moves the write-ahead log into the database file: triggered by each commit, at most once a second. */
export function checkpointJob(workers: Pick<WorkerPool, 'checkpoint'>): Job {
  return {
    name: 'wal-checkpoint',
    // Retries a log that could not be emptied after a redaction, even if nothing is written.
    intervalMs: 60_000,
    delayMs: 1_000,
    retryMs: 1_000,
    failure: 'WAL checkpoint failed; will retry',
    async run() {
      await workers.checkpoint();
      return 'idle';
    },
  };
}
