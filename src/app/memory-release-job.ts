import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Job } from '../kernel/background-job.js';

const intervalMs = 15_000;
/** The part of the time for which the event loop is busy: a scrub of the files takes up to a tenth. */
const restUtilization = 0.25;
/** A smaller heap than this much above the last collection is not worth one. */
const minGrowthBytes = 8_388_608;

/**
 * Collects garbage once the service is at rest after a load. V8 collects when it allocates: without requests, it would
 * keep what the last load has left for hours. A collection takes some 30 ms, in which no request is served.
 */
export function memoryReleaseJob(): Job {
  const collect = exposeCollector();
  let last = performance.eventLoopUtilization();
  let collectedBytes = 0;
  return {
    name: 'memory-release',
    intervalMs,
    failure: 'releasing memory failed',
    run: async () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      const { heapTotal } = process.memoryUsage();
      if (utilization > restUtilization || heapTotal - collectedBytes < minGrowthBytes) return 'idle';
      collect();
      collectedBytes = process.memoryUsage().heapTotal;
      last = performance.eventLoopUtilization();
      return 'idle';
    },
  };
}

/** Gets the function that V8 has for this without starting Node.js with a flag. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
