import type { Job } from '../../../kernel/background-job.js';
import { collectionsPerRest } from '../../../kernel/collect-garbage.js';
import type { WorkerPool } from './worker-pool.js';

const intervalMs = 5_000;
/** Minimum number of searches that justifies a collection. */
const minQueries = 50;

/**
 * Job that collects the garbage of idle search threads after startup and after heavy load. The threads would otherwise
 * keep it for hours.
 */
export function searchMemoryJob(workers: Pick<WorkerPool, 'queryCount' | 'collectGarbage'>): Job {
  let [seen, collected] = [0, 0];
  let left = collectionsPerRest;
  return {
    name: 'search-memory-release',
    intervalMs,
    failure: 'releasing the memory of searches failed',
    run: async () => {
      const { queryCount } = workers;
      const isAtRest = queryCount === seen;
      seen = queryCount;
      if (queryCount - collected >= minQueries) left = collectionsPerRest;
      if (!isAtRest || left === 0) return 'idle';
      left -= 1;
      collected = queryCount;
      await workers.collectGarbage();
      return 'idle';
    },
  };
}
