import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Query } from '../../src/search/query.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import { Latencies, type Measured } from '../latencies.js';

export type Searcher = Pick<SearchIndex, 'search'>;

export interface MeasuredSearches extends Measured {
  /** Number of hits of the median search. */
  readonly hits: number;
}

/** A row whose searches are slow lasts longer, but not much, so that its percentiles are of something. */
const enough = 20;
const mostTimes = 4;
/** A search in this thread lets nothing else happen, an interruption for one. */
const turnEveryMs = 50;

/**
 * Lets `clients` callers search for this number of seconds, each for the next query when it has the answer to its last.
 * Before, they do so for half that time without being measured.
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
