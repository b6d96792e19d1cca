import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Query } from '../../src/search/query.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import { Latencies, type Measured } from '../latencies.js';

export type Searcher = Pick<SearchIndex, 'search'>;

export interface MeasuredSearches extends Measured {
  /** Number of hits of the median search. */
  readonly hits: number;
}

/** Minimum number of searches for meaningful percentiles. A slow row may take `mostTimes` its time to reach it. */
const enough = 20;
const mostTimes = 4;
/** Maximum time between two turns of the event loop. Searches in this thread would block interruptions for longer. */
const turnEveryMs = 50;

/**
 * Measures `clients` callers that search for this number of seconds, each sending its next query after the answer to
 * the last one. They first do so for half that time unmeasured.
 */
export async function measureSearches(
  searcher: Searcher,
  queries: readonly Query[],
  options: { readonly clients: number; readonly seconds: number; readonly signal: AbortSignal },
): Promise<MeasuredSearches> {
  const { clients, seconds, signal } = options;
  let index = 0;
  const run = async (seconds: number, least: number) => {
    const hits: number[] = [];
    const latencies = new Latencies();
    const beganMs = performance.now();
    const goesOn = () => {
      const passed = (performance.now() - beganMs) / 1_000;
      return passed < seconds || (hits.length < least && passed < seconds * mostTimes);
    };
    let turnMs = beganMs;
    const client = async () => {
      while (goesOn()) {
        if (performance.now() - turnMs > turnEveryMs) {
          await nextTurn();
          turnMs = performance.now();
        }
        signal.throwIfAborted();
        const query = queries[index++ % queries.length] as Query;
        const startedMs = performance.now();
        const { hitCount } = await searcher.search(query);
        latencies.add(performance.now() - startedMs);
        hits.push(hitCount);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return { ...latencies.summary(), hits: hits.sort((a, b) => a - b)[hits.length >> 1] ?? Number.NaN };
  };
  await run(seconds / 2, 1);
  globalThis.gc?.();
  return run(seconds, enough);
}
