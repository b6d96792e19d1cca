import { Fault } from '../../kernel/fault.js';
import type { Log } from '../../kernel/log.js';
import type { SearchIndex, SimilarEntry, SimilarRequest } from '../../search/search-index.port.js';

/** Codes of faults after which a later comparison may succeed. */
const passing: ReadonlySet<string> = new Set([
  'search.unavailable',
  'search.too-slow',
  'search.busy',
  'search.index-building',
  'search.lagging',
]);

/** Finds entries of similar meaning for the results of searches. A search does not fail if they cannot be found. */
export class SearchByMeaning {
  private hasFailed = false;

  constructor(private readonly searchIndex: Pick<SearchIndex, 'similar'>) {}

  /** Returns undefined if entries cannot be compared at the moment; the first failure after a success is logged. */
  async find(
    request: SimilarRequest,
    log: Pick<Log, 'warn'>,
    signal: AbortSignal,
  ): Promise<readonly SimilarEntry[] | undefined> {
    try {
      const found = await this.searchIndex.similar(request, { signal });
      this.hasFailed = false;
      return found;
    } catch (error) {
      if (!(error instanceof Fault && passing.has(error.code))) throw error;
      if (!this.hasFailed) log.warn({ err: error }, 'searches lack entries of similar meaning');
      this.hasFailed = true;
      return undefined;
    }
  }
}
