import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { Fault } from '../../../kernel/fault.js';
import { limitFault } from '../../../kernel/limit.js';
import type { Log } from '../../../kernel/log.js';
import { searchCancelled, searchTimeLimitMs, searchTooSlow } from '../../search-faults.js';
import { identifyFile } from '../database/database-file-check.js';
import type { IndexFiles } from '../search/index/index-files.js';
import type { IndexProgress } from '../search/index/indexer.js';
import { defaultBlockReaders } from './block-readers.js';
import {
  collectGarbageTask,
  type IndexTask,
  type LimitedSearch,
  monotonicMs,
  type SearchTask,
  type SuccessfulResult,
  type TaskResult,
  type WordsPort,
  type WorkerSettings,
  warmedUp,
  wordsPort,
} from './messages.js';
import { WordsExchange } from './words-exchange.js';

const maxQueuedSearches = 256;
/** Idle time in milliseconds after which a thread that does not search ends, to free its heap and SQLite caches. */
const idleTimeout = 20_000;
/** Maximum time that startup waits for the first search thread. */
const warmUpLimitMs = 3_000;
/** Delay after the first search thread is ready before the others start. */
const otherThreadsDelayMs = 500;
/** Limit of the young generation of each thread, which would otherwise grow to 48 MB under load and stay that large. */
const maxYoungGenerationSizeMb = 8;
/** Maximum time that closing waits for running tasks. */
const closeTimeoutMs = 5_000;

export interface ThreadCounts {
  readonly search: number;
  readonly blockReaders?: number;
}

type Pool<Task> = Piscina<Task, TaskResult>;
type SearchPool = Pool<LimitedSearch | typeof collectGarbageTask>;

/**
 * Worker threads outside the event loop: some search, one writes the search index, one runs checkpoints. A worker is
 * never terminated from outside, because that would crash the process in the middle of a call to SQLite.
 */
export class WorkerPool {
  private readonly searches: SearchPool;
  private readonly indexing: Pool<IndexTask>;
  private readonly checkpoints: Pool<undefined>;
  private closed = false;
  private queries = 0;
  private readonly warmUps: WarmUps;
  private readonly words = new WordsExchange();
  private readonly stopping = new Int32Array(new SharedArrayBuffer(4));
  /** Resolves when the first search thread is warmed up, or after a time limit. */
  readonly warmedUp: Promise<void>;

  /**
   * @param indexFile index to search
   * @param threads `search`: 0 disables searching; `blockReaders`: see `WorkerSettings`
   */
  constructor(
    { file, indexFile }: { file: string; indexFile: string },
    { search: searchThreads, blockReaders = defaultBlockReaders }: ThreadCounts,
    log: Log,
  ) {
    const documents = identifyFile(file);
    const open = <Task>(worker: string, maxThreads: number, searches?: { indexFile: string }): Pool<Task> => {
      const settings: WorkerSettings = {
        documents,
        stopping: this.stopping,
        warmUpIndexFile: searches?.indexFile,
        blockReaders,
      };
      const pool: Pool<Task> = new Piscina({
        filename: new URL(worker, import.meta.url).href,
        name: 'run',
        workerData: settings,
        // The next search may come hours later, and must not wait for a thread to start.
        minThreads: searches ? 1 : 0,
        maxThreads,
        maxQueue: maxQueuedSearches,
        idleTimeout: searches ? Number.POSITIVE_INFINITY : idleTimeout,
        recordTiming: false,
        resourceLimits: { maxYoungGenerationSizeMb },
      });
      pool.on('error', (error) => log.error({ err: error }, 'storage worker failed'));
      return pool;
    };
    this.searches = open(
      './search-worker.js',
      Math.max(1, searchThreads),
      searchThreads > 0 ? { indexFile } : undefined,
    );
    this.indexing = open('./index-worker.js', 1);
    this.checkpoints = open('./checkpoint-worker.js', 1);
    this.searches.on('message', (message: unknown) => {
      if (isWordsPort(message)) this.words.connect(message.port);
    });
    this.warmUps = new WarmUps(this.searches, searchThreads > 0);
    const limit = sleep(warmUpLimitMs, undefined, { ref: false });
    this.warmedUp = Promise.race([this.warmUps.done(), limit]);
    void this.startOtherThreads(searchThreads);
  }

  /**
   * @param index index to search
   * @param signal cancels the search when its caller no longer needs the result
   * @throws Fault busy `search.busy`; unavailable `search.too-slow`, `search.cancelled`, `search.unavailable`; a Fault
   * of the task
   */
  async query(
    { file: indexFile, generation }: Pick<IndexFiles, 'file' | 'generation'>,
    task: SearchTask,
    signal: AbortSignal | undefined,
  ): Promise<SuccessfulResult> {
    if (this.closed) throw searchUnavailable(undefined);
    if (signal?.aborted) throw searchCancelled();
    this.queries += 1;
    if (this.searches.queueSize >= maxQueuedSearches) {
      throw limitFault('busy', 'search.busy', {
        refused: 'Too many searches are waiting.',
        limit: { amount: `${maxQueuedSearches} searches`, setting: undefined, countedFor: 'all clients together' },
        advice: 'Try again in a moment.',
      });
    }
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const cancel = () => Atomics.store(cancelled, 0, 1);
    signal?.addEventListener('abort', cancel, { once: true });
    const deadlineMs = monotonicMs() + searchTimeLimitMs;
    try {
      return await within(
        searchTimeLimitMs,
        runTask(this.searches, { indexFile, generation, task, deadlineMs, cancelled }),
      );
    } finally {
      // Also cancels after the time limit: the thread would otherwise continue a search that no caller waits for.
      cancel();
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Adds one batch of new writes to this search index, which is created if it does not exist. */
  async index(indexFile: string): Promise<IndexProgress> {
    const result = await runTask(this.indexing, { kind: 'index', indexFile });
    if (result.kind === 'indexed') return result.progress;
    throw new Error(`unexpected result of indexing: ${result.kind}`);
  }

  /** Does the next part of learning words from the entries of this search index, except from restricted logbooks. */
  async learn(indexFile: string, restrictedLogbooks: readonly string[]): Promise<'more' | 'idle'> {
    const result = await runTask(this.indexing, { kind: 'learn', indexFile, restrictedLogbooks });
    if (result.kind === 'learned') return result.more ? 'more' : 'idle';
    throw new Error(`unexpected result of learning: ${result.kind}`);
  }

  get queryCount(): number {
    return this.queries;
  }

  /** Collects the garbage of each search thread. Must be called while no search is running. */
  async collectGarbage(): Promise<void> {
    // All threads are idle, so each receives one task.
    await Promise.all(this.searches.threads.map(() => runTask(this.searches, collectGarbageTask)));
  }

  /** Starts the search threads for which startup did not wait. */
  private async startOtherThreads(searchThreads: number): Promise<void> {
    if (searchThreads < 2) return;
    await this.warmedUp;
    await sleep(otherThreadsDelayMs, undefined, { ref: false });
    if (this.closed) return;
    // The pool starts a thread for each task that finds no idle thread.
    const tasks = Array.from({ length: searchThreads }, () => runTask(this.searches, collectGarbageTask));
    await Promise.allSettled(tasks);
  }

  async checkpoint(): Promise<void> {
    await runTask(this.checkpoints, undefined);
  }

  /** Ends running tasks early. */
  stop(): void {
    Atomics.store(this.stopping, 0, 1);
  }

  /** Resolves when all tasks have ended, or after a time limit. */
  async close(): Promise<void> {
    this.closed = true;
    this.stop();
    this.words.close();
    // Ending a thread in the middle of a call to SQLite would crash the process.
    const closing = this.warmUps
      .done()
      .then(() => Promise.all([this.searches, this.indexing, this.checkpoints].map((pool) => pool.close())));
    await Promise.race([closing, sleep(closeTimeoutMs, undefined, { ref: false })]);
  }
}

function isWordsPort(message: unknown): message is WordsPort {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === wordsPort;
}

/** Counts the search threads that have finished warming up. */
class WarmUps {
  private finished = 0;
  private hasFailed = false;

  constructor(
    private readonly searches: SearchPool,
    private readonly isExpected: boolean,
  ) {
    searches.on('message', (message) => {
      if (message === warmedUp) this.finished += 1;
    });
    // A thread that cannot start sends no message.
    searches.once('error', () => {
      this.hasFailed = true;
    });
  }

  /** Resolves when no started thread is warming up. */
  async done(): Promise<void> {
    while (this.isExpected && !this.hasFailed && this.finished < this.searches.threads.length) await this.nextEvent();
  }

  private async nextEvent(): Promise<void> {
    // An error is an event, too: `once` rejects. In either case, it removes its listeners.
    await once(this.searches, 'message').catch(() => undefined);
  }
}

/** @throws Fault unavailable `search.too-slow` when `result` does not settle in time */
function within<T>(limitMs: number, result: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(searchTooSlow()), limitMs);
    timer.unref();
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** @throws the Fault that ended the task; unavailable `search.unavailable` when the worker failed */
async function runTask<Task>(pool: Pool<Task>, task: Task): Promise<SuccessfulResult> {
  const result = await pool.run(task).catch((error: unknown) => {
    throw searchUnavailable(error);
  });
  if (result.kind !== 'fault') return result;
  const { kind, code, message, cause } = result.fault;
  // Wrapped in an Error, because the log omits causes of other types.
  throw new Fault(kind, code, message, { cause: cause === undefined ? undefined : new Error(cause) });
}

function searchUnavailable(cause: unknown): Fault {
  return new Fault('unavailable', 'search.unavailable', 'The search is unavailable. Try again in a moment.', { cause });
}
