import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { Fault } from '../../../kernel/fault.js';
import { limitFault } from '../../../kernel/limit.js';
import type { Log } from '../../../kernel/log.js';
import type { IndexProgress } from '../search/index/indexer.js';
import { searchCancelled, searchTimeLimitMs, searchTooSlow } from '../search/index/search-faults.js';
import {
  monotonicMs,
  type SearchTask,
  type SuccessfulResult,
  type TaskResult,
  type WorkerSettings,
  type WorkerTask,
} from './messages.js';

const maxQueuedSearches = 256;
/** A thread holds its heap and the caches of its connections until it has been idle for this long. */
const idleTimeout = 20_000;
/** Otherwise the young generation of each thread grows to 48 MB under load, and is kept. */
const maxYoungGenerationSizeMb = 8;
/** How long closing waits for running tasks. */
const closeTimeoutMs = 5_000;

type Pool = Piscina<WorkerTask, TaskResult>;

/**
 * Worker threads beside the event loop: some search, one writes the search index, one runs checkpoints. A worker is
 * never terminated from outside, because that would crash the process in the middle of a call to SQLite.
 */
export class WorkerPool {
  private readonly searches: Pool;
  private readonly indexing: Pool;
  private readonly checkpoints: Pool;
  private closed = false;
  private readonly stopping = new Int32Array(new SharedArrayBuffer(4));

  constructor(settings: Omit<WorkerSettings, 'stopping'>, searchThreads: number, log: Log) {
    const open = (maxThreads: number) => {
      const pool: Pool = new Piscina({
        filename: new URL('./worker.js', import.meta.url).href,
        name: 'run',
        workerData: { ...settings, stopping: this.stopping } satisfies WorkerSettings,
        minThreads: 0,
        maxThreads,
        maxQueue: maxQueuedSearches,
        idleTimeout,
        resourceLimits: { maxYoungGenerationSizeMb },
      });
      pool.on('error', (error) => log.error({ err: error }, 'storage worker failed'));
      return pool;
    };
    this.searches = open(searchThreads);
    this.indexing = open(1);
    this.checkpoints = open(1);
  }

  /**
   * @param indexFile the index to search in
   * @param signal cancels the search when its caller no longer needs the result
   * @throws Fault busy `search.busy`; unavailable `search.too-slow`, `search.cancelled`, `search.unavailable`
   */
  async query(indexFile: string, task: SearchTask, signal: AbortSignal | undefined): Promise<SuccessfulResult> {
    if (this.closed) throw searchUnavailable(undefined);
    if (signal?.aborted) throw searchCancelled();
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
    const limit = new AbortController();
    try {
      return await Promise.race([
        runTask(this.searches, {
          kind: 'search',
          indexFile,
          task,
          deadlineMs: monotonicMs() + searchTimeLimitMs,
          cancelled,
        }),
        sleep(searchTimeLimitMs, undefined, { signal: limit.signal, ref: false }).then(() => {
          throw searchTooSlow();
        }),
      ]);
    } finally {
      limit.abort();
      // Also after the time limit: otherwise the thread would go on for nobody.
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

  async checkpoint(): Promise<void> {
    await runTask(this.checkpoints, { kind: 'checkpoint' });
  }

  /** Ends the batch that is being indexed. */
  stop(): void {
    Atomics.store(this.stopping, 0, 1);
  }

  /** Resolves when all tasks have ended, or after a time limit. */
  async close(): Promise<void> {
    this.closed = true;
    this.stop();
    const closing = Promise.all([this.searches, this.indexing, this.checkpoints].map((pool) => pool.close()));
    await Promise.race([closing, sleep(closeTimeoutMs, undefined, { ref: false })]);
  }
}

/** @throws Fault that the task ended with; unavailable `search.unavailable` when the worker failed */
async function runTask(pool: Pool, task: WorkerTask): Promise<SuccessfulResult> {
  const result = await pool.run(task).catch((error: unknown) => {
    throw searchUnavailable(error);
  });
  if (result.kind !== 'fault') return result;
  const { kind, code, message, cause } = result.fault;
  // An Error, because the log omits a cause of any other type.
  throw new Fault(kind, code, message, { cause: cause === undefined ? undefined : new Error(cause) });
}

function searchUnavailable(cause: unknown): Fault {
  return new Fault('unavailable', 'search.unavailable', 'The search is unavailable. Try again in a moment.', { cause });
}
