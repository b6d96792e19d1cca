import type { Job } from './background-job.js';
import type { Clock } from './clock.js';
import type { ClockWatch } from './clock-watch.js';

const intervalMs = 3_600_000;
/** Maximum number of rows removed per commit. */
const maxRemoved = 2_000;

export interface RemovalByAge {
  readonly name: string;
  readonly failure: string;
  /** Age above which rows are removed. */
  readonly keptMs: number;
  /** Removes at most `limit` rows from before this time (milliseconds since the epoch); returns the number removed. */
  remove(beforeMs: number, limit: number): Promise<number>;
  /** Maximum number of rows removed per commit. Default: 2,000. */
  readonly limit?: number;
}

export interface AgeDeps {
  readonly clock: Clock;
  readonly clockWatch: Pick<ClockWatch, 'mayRemoveByAge'>;
}

/** Returns the job that removes expired rows. It removes none while the system clock cannot be trusted. */
export function removalByAgeJob(removal: RemovalByAge, { clock, clockWatch }: AgeDeps): Job {
  const { name, failure, keptMs, limit = maxRemoved } = removal;
  return {
    name,
    isShared: true,
    intervalMs,
    retryMs: 600_000,
    failure,
    run: async () => {
      if (!clockWatch.mayRemoveByAge()) return 'idle';
      return (await removal.remove(clock.nowMs() - keptMs, limit)) === limit ? 'more' : 'idle';
    },
  };
}
