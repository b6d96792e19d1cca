import type { BackgroundJob } from '../../../kernel/background-job.js';
import type { BackgroundJobs } from '../../../kernel/background-jobs.js';
import type { Query } from '../../../search/query.js';
import type {
  SearchFacets,
  SearchIndex,
  SearchIndexStatus,
  SearchOptions,
  SearchPage,
} from '../../../search/search-index.port.js';
import type { TimeInterval } from '../../../search/time-buckets.js';
import type { Connection } from '../database/connection.js';
import { newestSequence } from '../tables/entry-writes.js';
import type { WorkerPool } from '../workers/worker-pool.js';

/** How long new entries wait for the index, so that more join them; until then each search looks at them itself. */
const indexDelayMs = 2_000;

/** The search index: it follows the documents, in a database of its own. */
export class SqliteSearchIndex implements SearchIndex {
  private readonly indexing: BackgroundJob;
  private onProgress: ((indexed: number, all: number) => void) | undefined;

  constructor(
    private readonly workers: WorkerPool,
    private readonly documents: Connection,
    /** Why nothing can be searched; undefined when searches work. */
    private readonly unavailableReason: () => string | undefined,
    jobs: BackgroundJobs,
  ) {
    this.indexing = jobs.start({
      name: 'search-indexing',
      delayMs: indexDelayMs,
      retryMs: indexDelayMs,
      failure: 'search indexing failed; will retry',
      run: () => this.indexSome(),
    });
    this.indexing.trigger();
  }

  async search(query: Query, options: SearchOptions & { readonly explain?: boolean } = {}): Promise<SearchPage> {
    const inquiry = { kind: 'search', query, explain: options.explain ?? false } as const;
    const outcome = await this.workers.query(inquiry, options.signal);
    if (outcome.kind === 'page') return outcome.page;
    throw new Error(`a search came back as ${outcome.kind}`);
  }

  async facets(query: Query, interval: TimeInterval | undefined, options: SearchOptions = {}): Promise<SearchFacets> {
    const outcome = await this.workers.query({ kind: 'facets', query, interval }, options.signal);
    if (outcome.kind === 'facets') return outcome.facets;
    throw new Error(`a count came back as ${outcome.kind}`);
  }

  async matching(query: Query, entryIds: readonly number[], options: SearchOptions = {}): Promise<number[]> {
    if (entryIds.length === 0) return [];
    const outcome = await this.workers.query({ kind: 'matching', query, entryIds }, options.signal);
    if (outcome.kind === 'matching') return [...outcome.entryIds];
    throw new Error(`a look at entries came back as ${outcome.kind}`);
  }

  async waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    this.onProgress = onProgress;
    await this.indexing.runNow();
  }

  async status(): Promise<SearchIndexStatus> {
    const row = this.documents.get<{ version: string }>('SELECT sqlite_version() AS version');
    const store = this.documents.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
    return {
      status: this.unavailableReason() ?? 'Connected',
      clusterName: 'embedded',
      clusterId: store?.value ?? '',
      version: `SQLite ${row?.version}`,
      host: 'localhost',
      port: '0',
    };
  }

  /** Called when entries were written. */
  onWrite(): void {
    this.indexing.trigger();
  }

  async close(): Promise<void> {
    const stopped = this.indexing.stop();
    this.workers.stop();
    await stopped;
  }

  private async indexSome(): Promise<'more' | 'idle'> {
    const { sequence, more } = await this.workers.index();
    this.onProgress?.(sequence, newestSequence(this.documents));
    return more ? 'more' : 'idle';
  }
}
