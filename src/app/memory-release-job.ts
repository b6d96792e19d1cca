import type { Job } from '../kernel/background-job.js';
import { collectGarbage, collectionsPerRest } from '../kernel/collect-garbage.js';

const intervalMs = 5_000;
/** The part of the time for which the event loop is busy: a scrub of the files takes up to a tenth. */
const restUtilization = 0.25;
/** A smaller heap than this much above the last collection is not worth one. */
const minGrowthBytes = 8_388_608;

/**
 * Collects garbage once the service is at rest after a load. V8 collects when it allocates: without requests, it would
 * keep what the last load has left for hours.
 */
export function memoryReleaseJob(): Job {
  let last = performance.eventLoopUtilization();
  let collectedBytes = 0;
  let left = 0;
  return {
    name: 'memory-release',
    intervalMs,
    failure: 'releasing memory failed',
    run: async () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      if (process.memoryUsage().heapTotal - collectedBytes >= minGrowthBytes) left = collectionsPerRest;
      if (utilization > restUtilization || left === 0) return 'idle';
      left -= 1;
      collectGarbage();
      collectedBytes = process.memoryUsage().heapTotal;
      last = performance.eventLoopUtilization();
      return 'idle';
    },
  };
}
