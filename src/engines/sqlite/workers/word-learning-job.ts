import type { Job } from '../../../kernel/background-job.js';
import { Fault } from '../../../kernel/fault.js';
import type { WorkerPool } from './worker-pool.js';

const retryMs = 60_000;

interface WordLearningDeps {
  readonly workers: Pick<WorkerPool, 'learn'>;
  /** Case-folded names of the logbooks that not everyone may read; undefined: no words are learned. */
  readonly restrictedLogbooks?: readonly string[] | undefined;
}

interface IndexInUse {
  /** Returns the file of the index in use; undefined if it will be replaced. */
  findFile(): string | undefined;
  /** Called with the error of a failed run, and the file of its index. */
  onError(error: unknown, file: string): void;
}

/** Job that learns the meaning of words from the entries of a search index. */
export function wordLearningJob({ workers, restrictedLogbooks }: WordLearningDeps, index: IndexInUse): Job {
  return {
    name: 'search-word-learning',
    retryMs,
    failure: 'learning words for the search by meaning failed; will retry',
    run: async () => {
      const file = index.findFile();
      if (file === undefined || restrictedLogbooks === undefined) return 'idle';
      try {
        return await workers.learn(file, restrictedLogbooks);
      } catch (error) {
        if (error instanceof Fault && error.code === 'service.stopping') return 'idle';
        index.onError(error, file);
        throw error;
      }
    },
  };
}
