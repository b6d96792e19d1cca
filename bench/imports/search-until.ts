import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../src/kernel/fault.js';
import { parseQuery } from '../../src/search/parse-query.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';

const searchPauseMs = 50;

/**
 * Searches repeatedly until `stop` is aborted. Returns how long each search took, in milliseconds, and how many were
 * refused because the index was too far behind.
 */
export async function searchUntil(
  searchIndex: SearchIndex,
  stop: AbortSignal,
): Promise<{ readonly latencies: number[]; readonly refused: number }> {
  const { signal } = new AbortController();
  const latencies: number[] = [];
  let refused = 0;
  while (!stop.aborted) {
    const query = parseQuery({ text: 'beam' }, { nowMs: Date.now(), zone: 'UTC' });
    const startedMs = performance.now();
    try {
      await searchIndex.search(query, { signal });
      latencies.push(performance.now() - startedMs);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'search.index-building') throw error;
      refused += 1;
    }
    await sleep(searchPauseMs);
  }
  return { latencies, refused };
}
