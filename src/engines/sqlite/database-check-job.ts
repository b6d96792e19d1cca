import type { Job } from '../../kernel/background-job.js';
import type { Integrity } from '../../kernel/integrity.js';
import { documentsFile } from './inspect-documents.js';
import type { WorkerPool } from './workers/worker-pool.js';

/** Checks the pages of the database after the start, and then weekly, beside the work of the service. */
export function databaseCheckJob(workers: WorkerPool, integrity: Integrity): Job {
  return {
    name: 'database-check',
    delayMs: 2_000,
    intervalMs: 7 * 86_400_000,
    retryMs: 3_600_000,
    failure: 'checking the database failed; will retry',
    async run() {
      const problems = await workers.check();
      if (problems.length === 0) integrity.resolve('database', documentsFile);
      else integrity.report({ kind: 'database', subject: documentsFile, reason: problems.join('; ') });
      return 'idle';
    },
  };
}
