import { setTimeout as sleep } from 'node:timers/promises';
import { mayBeRemoved } from './opensearch-errors.js';

/**
 * Delays before the attempts to find the successor of a removed index, in milliseconds. OpenSearch closes the shards of
 * an index a moment before it removes the index from the cluster state.
 */
const delaysMs = [0, 50, 100, 200, 400, 800];

/**
 * Runs `work`. If an index that it uses may have been removed, repeats it until it finds the successor.
 * @param work called with true when the index must be determined again
 * @throws the last error of `work`
 */
export async function untilSuccessor<T>(
  work: (isAgain: boolean) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt > 0);
    } catch (error) {
      const delayMs = delaysMs[attempt];
      if (delayMs === undefined || !mayBeRemoved(error)) throw error;
      if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    }
  }
}
