import { Fault } from '../../../kernel/fault.js';
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
import type { Threads } from '../workers/worker-pool.js';

/** How often what is new is brought into the index; until then each search looks at it itself. */
const indexEveryMs = 2_000;

/** The search index: it follows the documents, in a database of its own. */
export class SqliteSearchIndex implements SearchIndex {
  private wanted = true;
  private running: Promise<void> | undefined;
  private closed = false;
  /** Why it is behind. */
  private problem: string | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly threads: Threads,
    private readonly documents: Connection,
    /** Why nothing can be searched, when it is so. */
    private readonly whyNotSearched: () => string | undefined,
    log: (message: string, error: unknown) => void,
  ) {
    this.timer = setInterval(() => {
      if (!this.wanted || this.running) return;
      this.catchUp().then(
        () => {
          this.problem = undefined;
        },
        (error: Error) => {
          // Once, not every time that it is tried again; a message may have figures that change.
          const problem = error instanceof Fault ? error.code : error.message;
          if (problem !== this.problem) log('the search index could not be brought up to date', error);
          this.problem = problem;
        },
      );
    }, indexEveryMs);
    this.timer.unref();
  }

  async search(query: Query, options: SearchOptions & { readonly explain?: boolean } = {}): Promise<SearchPage> {
    const inquiry = { kind: 'search', query, explain: options.explain ?? false } as const;
    const outcome = await this.threads.inquire(inquiry, options.signal);
    if (outcome.kind === 'page') return outcome.page;
    throw new Error(`a search came back as ${outcome.kind}`);
  }

  async facets(query: Query, interval: TimeInterval | undefined, options: SearchOptions = {}): Promise<SearchFacets> {
    const outcome = await this.threads.inquire({ kind: 'facets', query, interval }, options.signal);
    if (outcome.kind === 'facets') return outcome.facets;
    throw new Error(`a count came back as ${outcome.kind}`);
  }

  async matching(query: Query, entryIds: readonly number[], options: SearchOptions = {}): Promise<number[]> {
    if (entryIds.length === 0) return [];
    const outcome = await this.threads.inquire({ kind: 'matching', query, entryIds }, options.signal);
    if (outcome.kind === 'matching') return [...outcome.entryIds];
    throw new Error(`a look at entries came back as ${outcome.kind}`);
  }

  async caughtUp(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    await this.running?.catch(() => undefined);
    await this.catchUp(onProgress);
  }

  async status(): Promise<SearchIndexStatus> {
    const row = this.documents.get<{ version: string }>('SELECT sqlite_version() AS version');
    const store = this.documents.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
    return {
      status: this.whyNotSearched() ?? 'Connected',
      clusterName: 'embedded',
      clusterId: store?.value ?? '',
      version: `SQLite ${row?.version}`,
      host: 'localhost',
      port: '0',
    };
  }

  /** Entries were written. */
  written(): void {
    this.wanted = true;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    this.threads.stop();
    await this.running?.catch(() => undefined);
  }

  private catchUp(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    this.running ??= this.indexAll(onProgress).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async indexAll(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    this.wanted = false;
    try {
      while (!this.closed) {
        const { sequence, more } = await this.threads.index();
        onProgress?.(sequence, newestSequence(this.documents));
        if (!more) return;
      }
    } catch (error) {
      this.wanted = true;
      throw error;
    }
  }
}
