import type { Job } from '../../../kernel/background-job.js';
import { Fault } from '../../../kernel/fault.js';
import type { WorkerPool } from './worker-pool.js';

const retryMs = 60_000;

/**
 * Job that learns the meaning of words from the entries of a search index.
 * @param findFile returns the index in use; undefined if it will be replaced
 */
export function wordLearningJob(workers: Pick<WorkerPool, 'learn'>, findFile: () => string | undefined): Job {
  return {
    name: 'search-word-learning',
    retryMs,
    failure: 'learning words for the search by meaning failed; will retry',
    run: async () => {
      const file = findFile();
      if (file === undefined) return 'idle';
      try {
        return await workers.learn(file);
      } catch (error) {
        if (error instanceof Fault && error.code === 'service.stopping') return 'idle';
        throw error;
      }
    },
  };
}
