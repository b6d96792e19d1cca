import type { EntryReader } from '../../entries/entry-store.port.js';
import type { EntryWriteReader } from '../../entries/entry-writes.port.js';
import type { RedactionReader } from '../../entries/redaction-store.port.js';
import { Fault } from '../../kernel/fault.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import { timeoutError, untilAborted, withTimeout } from '../../kernel/with-timeout.js';
import type { Query } from '../../search/query.js';
import type {
  EntryRevision,
  FacetOptions,
  PageEntries,
  PageOptions,
  SearchFacets,
  SearchIndex,
  SearchIndexStatus,
  SearchOptions,
  SearchPage,
  ShownPage,
  SimilarEntry,
  SimilarRequest,
  ValueCount,
} from '../../search/search-index.port.js';
import type { SearchPositions } from '../../search/search-positions.port.js';
import type { SuggestRequest } from '../../search/suggestions.js';
import { searchCancelled } from '../search-faults.js';
import { tokenVectors } from '../text-vectors.js';
import { ClusterState } from './cluster-state.js';
import { newestOfGroups } from './collapse-groups.js';
import { allOf, compileQuery } from './compile-query.js';
import { explain } from './explain.js';
import { countFacets } from './facets.js';
import { findByRelevance } from './find-by-relevance.js';
import { findPage, newestId } from './find-page.js';
import { IndexBuilder } from './index-builder.js';
import { indexFormat } from './index-mapping.js';
import { IndexUpdater } from './index-updater.js';
import { IndexWriter } from './index-writer.js';
import {
  OpenSearchError,
  searchLagging,
  searchUnavailable,
  tooManySearches,
  toSearchFault,
} from './opensearch-errors.js';
import type { OpenSearchOptions } from './opensearch-options.js';
import { PageReader } from './page-reader.js';
import { untilSuccessor } from './removed-index.js';
import { SearchCluster } from './search-cluster.js';
import { ForeignIndex, SearchIndexes } from './search-indexes.js';
import { IndexSnapshot, maxWindow } from './search-requests.js';
import { SimilarEntries } from './similar-entries.js';
import { suggest } from './suggest.js';

/** Maximum time that startup waits until the index is complete. */
const startWaitMs = 3_000;
/** Maximum time that a search waits until the index contains all earlier writes. */
const catchUpMs = 5_000;
/** Maximum time that a search waits for a particular write. */
const positionWaitMs = 2_000;
/** Maximum number of searches that run or wait for a connection. */
const maxRunning = 256;

export interface OpenSearchDeps {
  readonly options: OpenSearchOptions;
  /** Id of the logbook that owns the index. */
  readonly storeId: string;
  readonly entries: EntryReader;
  readonly entryWrites: EntryWriteReader;
  readonly redactions: Pick<RedactionReader, 'listRedactions'>;
  readonly jobs: JobRegistry;
  readonly log: Log;
  /** Format of the index. Default: the format of this version. */
  readonly format?: number;
}

/**
 * Search in an OpenSearch index that all nodes share. A search returns all matches, or is refused because the index
 * lacks an acknowledged write or part of it does not respond.
 */
export class OpenSearchIndex implements SearchIndex, SearchPositions {
  private readonly state: ClusterState;
  private readonly pages: PageReader;
  private readonly similarEntries: SimilarEntries;
  private running = 0;

  private constructor(
    private readonly cluster: SearchCluster,
    private readonly updater: IndexUpdater,
    private readonly builder: IndexBuilder,
    private readonly deps: OpenSearchDeps,
  ) {
    this.state = new ClusterState(cluster);
    this.pages = new PageReader(deps.entries);
    this.similarEntries = new SimilarEntries(cluster, this.pages, deps.entryWrites);
  }

  /**
   * Opens the index, and builds it if there is none. An unreachable cluster does not prevent startup.
   * @throws ForeignIndex when the index belongs to another logbook; nothing is changed
   */
  static async open(deps: OpenSearchDeps): Promise<OpenSearchIndex> {
    const { options, storeId, entryWrites, redactions, jobs, log, format = indexFormat } = deps;
    // Loading blocks the event loop, which must not happen while requests are served.
    tokenVectors();
    const cluster = new SearchCluster(options, log);
    const indexes = new SearchIndexes(cluster, storeId, format);
    try {
      await indexes.findCurrent();
    } catch (error) {
      if (error instanceof ForeignIndex) {
        cluster.close();
        throw error;
      }
      // The error was logged; searches will be refused with the reason.
    }
    const writer = new IndexWriter(cluster, entryWrites);
    const builder = new IndexBuilder({ entryWrites, redactions, indexes, writer, jobs, log });
    const updater = new IndexUpdater({ entryWrites, redactions, indexes, writer, builder, jobs });
    const index = new OpenSearchIndex(cluster, updater, builder, deps);
    // The builder removes indexes of earlier versions that are no longer in use.
    if (format > 1) builder.trigger();
    // Wait briefly, so that the first search in a new logbook can be answered.
    await withTimeout(startWaitMs, () => index.waitUntilIndexed()).catch(() => undefined);
    return index;
  }

  get lagMs(): number | undefined {
    return this.updater.lagMs;
  }

  /** Must be called after entries may have been written. */
  onWrite(): void {
    this.updater.onWrite();
  }

  async search(query: Query, { signal, ...options }: SearchOptions & PageOptions = {}): Promise<SearchPage> {
    return this.answer(signal, (index) => this.findAndShow(index, query, options, signal));
  }

  async show(page: ShownPage, found: readonly EntryRevision[], { signal }: SearchOptions = {}): Promise<PageEntries> {
    return this.answer(signal, (index) =>
      this.pages.show(IndexSnapshot.latest(this.cluster, index, signal), page, found),
    );
  }

  async facets(query: Query, { signal, ...options }: FacetOptions & SearchOptions = {}): Promise<SearchFacets> {
    const count = (snapshot: IndexSnapshot) => countFacets(snapshot, query, options);
    return this.answer(signal, (index) => IndexSnapshot.use(this.cluster, index, signal, count));
  }

  async suggest(request: SuggestRequest, { signal }: SearchOptions = {}): Promise<ValueCount[]> {
    const readEntry = async (id: number) => (await this.deps.entries.find(id))?.entry;
    return this.answer(signal, (index) =>
      suggest(IndexSnapshot.latest(this.cluster, index, signal), request, readEntry),
    );
  }

  async similar(request: SimilarRequest, { signal }: SearchOptions = {}): Promise<readonly SimilarEntry[]> {
    return this.answer(signal, (index) => this.similarEntries.list(index, request, signal));
  }

  async matching(query: Query, entryIds: readonly number[], { signal }: SearchOptions = {}): Promise<number[]> {
    if (entryIds.length === 0) return [];
    const filter = allOf(compileQuery(query), query);
    return this.answer(signal, async (index) => {
      const snapshot = IndexSnapshot.latest(this.cluster, index, signal);
      const found = new Set<number>();
      for (let at = 0; at < entryIds.length; at += maxWindow) {
        const some = { terms: { id: entryIds.slice(at, at + maxWindow) } };
        const { hits } = await snapshot.search({ filter: { bool: { filter: [filter, some] } }, size: maxWindow });
        for (const { id } of hits) found.add(id);
      }
      return entryIds.filter((id) => found.has(id));
    });
  }

  async waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    for (;;) {
      try {
        await this.updater.catchUp();
        return;
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'search.index-building') throw error;
        await this.builder.finish(onProgress);
      }
    }
  }

  /** Builds a new index that replaces the current one once it is complete. */
  async rebuild(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    await this.builder.rebuild(onProgress);
    await this.waitUntilIndexed(onProgress);
  }

  async status(): Promise<SearchIndexStatus> {
    const state = await this.state.read();
    const { all, indexed } = this.builder.progress;
    const missing = (await this.updater.countMissing()) ?? all - indexed;
    return {
      ...state,
      status: state.problem ?? this.updater.refusal?.message ?? 'Connected',
      unindexedWrites: missing,
      isReady: !this.updater.hasPredecessor,
    };
  }

  async waitFor(_written: EntryRevision): Promise<void> {
    // Waits for everything committed on any node: a write that is still missing afterwards is not in the database.
    await withTimeout(positionWaitMs, () => this.updater.catchUp()).catch((error: unknown) => {
      throw this.refusal(error);
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.updater.close(), this.builder.close()]);
    this.cluster.close();
  }

  /** Runs `work` on an index that contains all earlier writes. */
  private async answer<T>(signal: AbortSignal | undefined, work: (index: string) => Promise<T>): Promise<T> {
    if (signal?.aborted) throw searchCancelled();
    if (this.running >= maxRunning) throw tooManySearches(maxRunning);
    let failed: { readonly index: string; readonly error: unknown } | undefined;
    const attempt = async (isAgain: boolean): Promise<T> => {
      if (isAgain) this.updater.forget();
      const index = await this.findCurrent(signal);
      // The search is repeated only on another index.
      if (failed?.index === index) throw failed.error;
      return work(index).catch((error: unknown) => {
        failed = { index, error };
        throw error;
      });
    };
    this.running += 1;
    try {
      return await untilSuccessor(attempt, signal);
    } catch (error) {
      if (signal?.aborted) throw searchCancelled();
      throw error instanceof OpenSearchError ? toSearchFault(error) : error;
    } finally {
      this.running -= 1;
    }
  }

  private async findCurrent(signal: AbortSignal | undefined): Promise<string> {
    const caughtUp = () => withTimeout(catchUpMs, () => this.updater.getIndexName());
    try {
      return await (signal ? untilAborted(signal, caughtUp) : caughtUp());
    } catch (error) {
      throw this.refusal(error);
    }
  }

  private refusal(error: unknown): Fault {
    if (error instanceof Fault) return error;
    if (error instanceof DOMException && error.name === timeoutError(0).name) {
      const reason = this.cluster.failure?.summary;
      return reason === undefined ? searchLagging(error) : searchUnavailable(reason, error);
    }
    if (error instanceof ForeignIndex) return searchUnavailable('the index belongs to another logbook', error);
    return error instanceof OpenSearchError ? searchUnavailable(error.summary, error) : toSearchFault(error);
  }

  private async findAndShow(
    index: string,
    query: Query,
    options: PageOptions,
    signal: AbortSignal | undefined,
  ): Promise<SearchPage> {
    const isRanked = query.sort === 'relevance' && query.anywhere.length > 0;
    const isDeep = query.from + query.size > maxWindow;
    const { view, position, explain: explained } = options;
    const hasSeveral = isRanked || isDeep || query.perGroup || view || position || explained;
    const work = (snapshot: IndexSnapshot) => this.findIn(snapshot, query, options, isRanked);
    if (hasSeveral) return IndexSnapshot.use(this.cluster, index, signal, work);
    return work(IndexSnapshot.latest(this.cluster, index, signal));
  }

  private async findIn(
    snapshot: IndexSnapshot,
    query: Query,
    { view, position, explain: explained }: PageOptions,
    isRanked: boolean,
  ): Promise<SearchPage> {
    const clauses = compileQuery(query);
    const matches = allOf(clauses, query);
    const filter = query.perGroup ? await newestOfGroups(snapshot, matches) : matches;
    const { count, hits } = isRanked
      ? await findByRelevance(snapshot, filter, query)
      : await findPage(snapshot, filter, query.sort === 'oldest' ? 'oldest' : 'newest', query);
    const versions = hits.map(({ id, revision }) => ({ id, revision }));
    return {
      hitCount: count,
      entries: view ? await this.pages.show(snapshot, { query, view }, versions) : await this.pages.read(versions),
      ...(position && { position: query.asOf ?? (await newestId(snapshot, query)) }),
      ...(explained && { explanation: await explain(snapshot, query, clauses, count) }),
    };
  }
}
