import type { Query } from '../../search/query.js';
import type { SearchIndex } from '../../search/search-index.port.js';

/** The searches of all streams: those with the same filter and rights share the answer while it is looked for. */
export class SharedMatches {
  private readonly running = new Map<string, Promise<number[]>>();

  constructor(
    private readonly searchIndex: Pick<SearchIndex, 'matching'>,
    private readonly stopping: AbortSignal,
  ) {}

  /**
   * Those of the entries that match as they stand after a change.
   * @param sequence position of the change: one who asks after a later one gets no answer from before it
   */
  matching(query: Query, entryIds: readonly number[], sequence: number): Promise<number[]> {
    const key = JSON.stringify([sequence, entryIds, query]);
    const known = this.running.get(key);
    if (known) return known;
    // One of its own for each: Node warns of many listeners on one signal.
    const signal = AbortSignal.any([this.stopping]);
    const found = this.searchIndex.matching(query, entryIds, { signal }).finally(() => this.running.delete(key));
    this.running.set(key, found);
    return found;
  }
}
