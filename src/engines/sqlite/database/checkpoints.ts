import type { Job } from '../../../kernel/background-job.js';
import type { WorkerPool } from '../workers/worker-pool.js';

/**
 * Job that moves the write-ahead log into the database file. It is triggered by each commit and runs at most once a
 * second.
 */
export function checkpointJob(workers: Pick<WorkerPool, 'checkpoint'>): Job {
  return {
    name: 'wal-checkpoint',
    // Also retries emptying the log after a redaction while nothing is written.
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
