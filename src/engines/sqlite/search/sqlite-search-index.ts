import { basename } from 'node:path';
import type { BackgroundJob } from '../../../kernel/background-job.js';
import { Fault } from '../../../kernel/fault.js';
import type { Integrity } from '../../../kernel/integrity.js';
import type { JobRegistry } from '../../../kernel/job-registry.js';
import type { Log } from '../../../kernel/log.js';
import type { Query } from '../../../search/query.js';
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
} from '../../../search/search-index.port.js';
import type { SuggestRequest } from '../../../search/suggestions.js';
import { searchCancelled } from '../../search-faults.js';
import type { Connection } from '../database/connection.js';
import { newestSequence } from '../tables/entry-writes.js';
import { expectResult, type SearchTask, type SuccessfulResult } from '../workers/messages.js';
import { searchMemoryJob } from '../workers/search-memory-job.js';
import { withFree } from '../workers/transfer-result.js';
import { wordLearningJob } from '../workers/word-learning-job.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { describeDamage } from './index/index-database.js';
import { describeReplacement, type IndexFiles } from './index/index-files.js';
import { QuickSearcher } from './query/quick-searcher.js';
import { sizeOf } from './result-size.js';
import { type Shared, SharedResults } from './shared-results.js';

/** Delay before indexing, so that more writes join the batch. Searches read unindexed writes directly. */
const indexDelayMs = 2_000;
const rebuildRetryMs = 10_000;
/** Maximum total size of the results kept until the next write. */
const maxKeptBytes = 16 * 1_048_576;

const isDamage = (error: unknown): boolean => error instanceof Fault && error.code === 'search.damaged';

export interface SearchIndexDeps {
  readonly workers: WorkerPool;
  readonly documents: Connection;
  readonly files: IndexFiles;
  readonly jobs: JobRegistry;
  readonly log: Log;
  readonly integrity: Pick<Integrity, 'report' | 'resolve'>;
  /** Case-folded names of the logbooks that not everyone may read; undefined: no words are learned. */
  readonly restrictedLogbooks?: readonly string[] | undefined;
}

/** Search index that is updated from the documents after each commit. */
export class SqliteSearchIndex implements SearchIndex {
  private readonly indexing: BackgroundJob;
  private readonly rebuilding: BackgroundJob;
  private readonly releasing: BackgroundJob;
  private readonly learning: BackgroundJob;
  private readonly shared = new SharedResults<SuccessfulResult>({ maxBytes: maxKeptBytes, sizeOf });
  /** Number of results requested since startup, and of results computed for these requests. */
  private requested = 0;
  private computed = 0;
  /** File of the index being built while another is in use. */
  private nextFile: string | undefined;
  /** Searcher for this thread, with the index in use. */
  private quick: { readonly connection: Connection; readonly searcher: QuickSearcher } | undefined;
  private isClosed = false;
  private isDamaged = false;
  /** File replaced at startup; undefined once the new index is complete. */
  private replacedFile: string | undefined;
  private onProgress: ((indexed: number, all: number) => void) | undefined;

  constructor(private readonly deps: SearchIndexDeps) {
    const { jobs, workers } = deps;
    this.indexing = jobs.start({
      name: 'search-indexing',
      delayMs: indexDelayMs,
      retryMs: indexDelayMs,
      failure: 'search indexing failed; will retry',
      run: () => this.indexBatch(),
    });
    this.rebuilding = jobs.start({
      name: 'search-index-rebuild',
      retryMs: rebuildRetryMs,
      failure: 'rebuilding the search index failed; will retry',
      run: () => this.rebuildBatch(),
    });
    this.releasing = jobs.start(searchMemoryJob(workers));
    const findFile = () => (this.willBeReplaced() ? undefined : deps.files.file);
    const onError = (error: unknown, file: string) => this.noticeDamage(error, file);
    this.learning = jobs.start(wordLearningJob(deps, { findFile, onError }));
    this.noticeReplaced();
    this.indexing.trigger();
  }

  async search(query: Query, { signal, ...options }: SearchOptions & PageOptions = {}): Promise<SearchPage> {
    const { result, isShared } = await this.queryShared({ kind: 'search', query, options }, signal);
    const { page } = expectResult('page', result);
    return isShared ? page : withFree(page);
  }

  async show(page: ShownPage, versions: readonly EntryRevision[], options: SearchOptions = {}): Promise<PageEntries> {
    return expectResult('shown', await this.query({ kind: 'show', page, versions }, options.signal)).entries;
  }

  async facets(query: Query, { signal, ...options }: FacetOptions & SearchOptions = {}): Promise<SearchFacets> {
    const { result } = await this.queryShared({ kind: 'facets', query, options }, signal);
    return expectResult('facets', result).facets;
  }

  async suggest(request: SuggestRequest, options: SearchOptions = {}): Promise<ValueCount[]> {
    const { result } = await this.queryShared({ kind: 'suggest', request }, options.signal);
    return [...expectResult('suggested', result).values];
  }

  async similar(request: SimilarRequest, options: SearchOptions = {}): Promise<readonly SimilarEntry[]> {
    const task = { kind: 'similar', request, restrictedLogbooks: this.deps.restrictedLogbooks ?? [] } as const;
    return expectResult('similar', await this.query(task, options.signal)).entries;
  }

  async matching(query: Query, entryIds: readonly number[], options: SearchOptions = {}): Promise<number[]> {
    if (entryIds.length === 0) return [];
    const result = await this.query({ kind: 'matching', query, entryIds }, options.signal);
    return [...expectResult('matching', result).entryIds];
  }

  async waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    this.onProgress = onProgress;
    if (this.isDamaged) await this.rebuilding.runNow();
    await this.indexing.runNow();
  }

  async status(): Promise<SearchIndexStatus> {
    const { file } = this.deps.files;
    const { unavailableReason, unindexedWrites, damage } = this.deps.files.readStatus(this.deps.documents);
    // This call may find damage that no search encounters for a long time.
    if (damage) this.noticeDamage(damage, file);
    const row = this.deps.documents.get<{ version: string }>('SELECT sqlite_version() AS version');
    const store = this.deps.documents.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
    return {
      status: unavailableReason ?? 'Connected',
      unindexedWrites,
      clusterName: 'embedded',
      clusterId: store?.value ?? '',
      version: `SQLite ${row?.version}`,
      host: 'localhost',
      port: '0',
      engine: 'EMBEDDED',
      results: { computed: this.computed, reused: this.requested - this.computed },
      servers: [{ address: 'localhost', state: 'CONNECTED' }],
    };
  }

  /** Must be called after entries were written. */
  onWrite(): void {
    this.indexing.trigger();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const jobs = [this.indexing, this.rebuilding, this.releasing, this.learning];
    const stopped = Promise.all(jobs.map((job) => job.stop()));
    this.deps.workers.stop();
    await stopped;
  }

  /** Runs a task whose result is the same for all callers until the next write. */
  private async queryShared(task: SearchTask, signal: AbortSignal | undefined): Promise<Shared<SuccessfulResult>> {
    if (signal?.aborted) throw searchCancelled();
    const revision = this.deps.files.revisionWith(this.deps.documents);
    const key = JSON.stringify(task);
    this.requested += 1;
    try {
      return await this.shared.get({ revision, key, signal }, (sharedSignal) => {
        this.computed += 1;
        return this.query(task, sharedSignal);
      });
    } catch (error) {
      throw signal?.aborted ? searchCancelled() : error;
    }
  }

  private async query(task: SearchTask, signal: AbortSignal | undefined): Promise<SuccessfulResult> {
    const { file, generation } = this.deps.files;
    try {
      const page = this.searchQuickly(task);
      if (page) return { kind: 'page', page };
      return await this.deps.workers.query({ file, generation }, task, signal);
    } catch (error) {
      this.noticeDamage(error, file);
      const wasReplaced =
        generation !== this.deps.files.generation && error instanceof Fault && error.code === 'search.unavailable';
      // Another index replaced this one, and the file was removed before the search began.
      if (wasReplaced) return this.query(task, signal);
      throw error;
    }
  }

  private searchQuickly(task: SearchTask): SearchPage | undefined {
    if (this.isClosed || task.kind !== 'search' || task.options.view || task.options.explain || task.options.position)
      return undefined;
    const { connection } = this.deps.files;
    if (this.quick?.connection !== connection) {
      this.quick = { connection, searcher: new QuickSearcher(connection, this.deps.documents) };
    }
    return this.quick.searcher.search(task.query);
  }

  private async indexBatch(): Promise<'more' | 'idle'> {
    // A damaged index is not written; searches read newer entries from the documents.
    if (this.isDamaged) return 'idle';
    const { file } = this.deps.files;
    try {
      const outcome = await this.index(file);
      if (outcome === 'idle') this.endBuilding();
      if (this.willBeReplaced()) this.rebuilding.trigger();
      else if (outcome === 'idle') this.learning.trigger();
      return outcome;
    } catch (error) {
      if (error instanceof Fault && error.code === 'service.stopping') return 'idle';
      this.noticeDamage(error, file);
      throw error;
    }
  }

  /** Reports that the index found at startup was unusable and is being replaced. */
  private noticeReplaced(): void {
    const { replacedAtStart: replaced, file } = this.deps.files;
    // A new logbook has no index yet, and no entries to index.
    if (!replaced || newestSequence(this.deps.documents) === 0) return;
    if (replaced.kind === 'damaged') {
      this.replacedFile = replaced.file;
      this.reportDamage(replaced.file, replaced.reason);
      return;
    }
    this.replacedFile = file;
    const details = { file: basename(file), ...describeReplacement(replaced.kind) };
    this.deps.log.info(details, 'search index is being built');
  }

  /** Reports that the index replaced at startup is complete. */
  private endBuilding(): void {
    if (this.replacedFile === undefined) return;
    this.deps.integrity.resolve('search-index', basename(this.replacedFile));
    this.replacedFile = undefined;
    this.deps.log.info({ file: basename(this.deps.files.file) }, 'search index was rebuilt');
  }

  private reportDamage(file: string, reason: string): void {
    const name = basename(file);
    this.deps.integrity.report({ kind: 'search-index', subject: name, path: name, reason });
  }

  /** Starts a rebuild if the error means that the index in use is damaged. */
  private noticeDamage(error: unknown, file: string): void {
    if (!isDamage(error) || this.isDamaged || file !== this.deps.files.file) return;
    this.isDamaged = true;
    this.reportDamage(file, describeDamage(error));
    this.rebuilding.trigger();
  }

  /** Builds an index that replaces a damaged one, or one that may contain redacted content, once it is complete. */
  private async rebuildBatch(): Promise<'more' | 'idle'> {
    if (!this.willBeReplaced()) return 'idle';
    this.nextFile ??= await this.deps.files.beginRebuild(this.deps.documents);
    try {
      if ((await this.index(this.nextFile)) === 'more') return 'more';
    } catch (error) {
      // The next attempt starts with an empty file.
      if (isDamage(error)) this.nextFile = undefined;
      throw error;
    }
    const damaged = basename(this.deps.files.file);
    await this.deps.files.switchTo(this.nextFile);
    this.deps.integrity.resolve('search-index', damaged);
    this.nextFile = undefined;
    this.isDamaged = false;
    this.deps.log.info({ file: basename(this.deps.files.file) }, 'search index was rebuilt');
    this.indexing.trigger();
    return 'idle';
  }

  /** Whether the index in use is damaged or may contain redacted content. */
  private willBeReplaced(): boolean {
    return this.isDamaged || this.deps.files.mayHoldRemoved(this.deps.documents);
  }

  private async index(file: string): Promise<'more' | 'idle'> {
    const { sequence, more, limited } = await this.deps.workers.index(file);
    for (const one of limited) this.deps.log.warn(one, 'entry has too many new words; some are not searchable');
    this.onProgress?.(sequence, newestSequence(this.deps.documents));
    return more ? 'more' : 'idle';
  }
}
