import type { Query } from '../../search/query.js';
import type { SearchIndex } from '../../search/search-index.port.js';

/** Shares searches between streams: those with the same filter and permissions wait for one running search. */
export class SharedMatches {
  private readonly running = new Map<string, Promise<number[]>>();

  constructor(
    private readonly searchIndex: Pick<SearchIndex, 'matching'>,
    private readonly stopping: AbortSignal,
  ) {}

  /**
   * Returns the ids of those entries that match the query as they stand now.
   * @param sequence position of the newest change that the search must see; earlier searches are not shared
   */
  matching(query: Query, entryIds: readonly number[], sequence: number): Promise<number[]> {
    const key = JSON.stringify([sequence, entryIds, query]);
    const known = this.running.get(key);
    if (known) return known;
    // Each search has its own signal, because Node warns of many listeners on one signal.
    const signal = AbortSignal.any([this.stopping]);
    const found = this.searchIndex.matching(query, entryIds, { signal }).finally(() => this.running.delete(key));
    this.running.set(key, found);
    return found;
  }
}
