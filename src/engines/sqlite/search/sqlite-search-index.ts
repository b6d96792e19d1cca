import type { BackgroundJob } from '../../../kernel/background-job.js';
import type { JobRegistry } from '../../../kernel/job-registry.js';
import type { Log } from '../../../kernel/log.js';
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
import type { IndexStatus } from './index/index-database.js';

/** How long indexing waits after a write, so that more writes join the batch. Until then, searches read them directly. */
const indexDelayMs = 2_000;

/** The search index, updated from the documents after each commit. */
export class SqliteSearchIndex implements SearchIndex {
  private readonly indexing: BackgroundJob;
  private onProgress: ((indexed: number, all: number) => void) | undefined;

  constructor(
    private readonly workers: WorkerPool,
    private readonly documents: Connection,
    private readonly readStatus: () => IndexStatus,
    jobs: JobRegistry,
    private readonly log: Log,
  ) {
    this.indexing = jobs.start({
      name: 'search-indexing',
      delayMs: indexDelayMs,
      retryMs: indexDelayMs,
      failure: 'search indexing failed; will retry',
      run: () => this.indexBatch(),
    });
    this.indexing.trigger();
  }

  async search(query: Query, options: SearchOptions & { readonly explain?: boolean } = {}): Promise<SearchPage> {
    const task = { kind: 'search', query, explain: options.explain ?? false } as const;
    const result = await this.workers.query(task, options.signal);
    if (result.kind === 'page') return result.page;
    throw new Error(`unexpected result of a search: ${result.kind}`);
  }

  async facets(query: Query, interval: TimeInterval | undefined, options: SearchOptions = {}): Promise<SearchFacets> {
    const result = await this.workers.query({ kind: 'facets', query, interval }, options.signal);
    if (result.kind === 'facets') return result.facets;
    throw new Error(`unexpected result of a count: ${result.kind}`);
  }

  async matching(query: Query, entryIds: readonly number[], options: SearchOptions = {}): Promise<number[]> {
    if (entryIds.length === 0) return [];
    const result = await this.workers.query({ kind: 'matching', query, entryIds }, options.signal);
    if (result.kind === 'matching') return [...result.entryIds];
    throw new Error(`unexpected result of a match: ${result.kind}`);
  }

  async waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    this.onProgress = onProgress;
    await this.indexing.runNow();
  }

  async status(): Promise<SearchIndexStatus> {
    const { unavailableReason, unindexedWrites } = this.readStatus();
    const row = this.documents.get<{ version: string }>('SELECT sqlite_version() AS version');
    const store = this.documents.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
    return {
      status: unavailableReason ?? 'Connected',
      unindexedWrites,
      clusterName: 'embedded',
      clusterId: store?.value ?? '',
      version: `SQLite ${row?.version}`,
      host: 'localhost',
      port: '0',
    };
  }

  /** Must be called when entries were written. */
  onWrite(): void {
    this.indexing.trigger();
  }

  async close(): Promise<void> {
    const stopped = this.indexing.stop();
    this.workers.stop();
    await stopped;
  }

  private async indexBatch(): Promise<'more' | 'idle'> {
    const { sequence, more, limited } = await this.workers.index();
    for (const one of limited) this.log.warn(one, 'entry has too many new words; some are not searchable');
    this.onProgress?.(sequence, newestSequence(this.documents));
    return more ? 'more' : 'idle';
  }
}
