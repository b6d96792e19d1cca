import type { Job } from '../kernel/background-job.js';
import { collectGarbage, collectionsPerRest } from '../kernel/collect-garbage.js';

const intervalMs = 5_000;
/** Maximum utilisation of the event loop of a service at rest. Verifying files takes up to a tenth. */
const restUtilization = 0.25;
/** Minimum growth of the heap since the last collection that justifies another one. */
const minGrowthBytes = 8_388_608;
/** Minimum number of runs between two series of collections, because each collection delays all requests. */
const runsBetween = 9;

/**
 * Collects garbage when the service is at rest after a load. V8 collects garbage only when it allocates, so it would
 * keep the garbage of the last load for hours if no requests arrive.
 */
export function memoryReleaseJob(): Job {
  let last = performance.eventLoopUtilization();
  let collectedBytes = 0;
  let left = 0;
  let runsSince = runsBetween;
  return {
    name: 'memory-release',
    intervalMs,
    failure: 'releasing memory failed',
    run: async () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      runsSince += 1;
      const hasGrown = process.memoryUsage().heapTotal - collectedBytes >= minGrowthBytes;
      if (hasGrown && runsSince > runsBetween) left = collectionsPerRest;
      if (utilization > restUtilization || left === 0) return 'idle';
      left -= 1;
      runsSince = 0;
      collectGarbage();
      collectedBytes = process.memoryUsage().heapTotal;
      last = performance.eventLoopUtilization();
      return 'idle';
    },
  };
}
