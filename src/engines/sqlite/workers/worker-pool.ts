import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { Fault } from '../../../kernel/fault.js';
import type { Log } from '../../../kernel/log.js';
import type { IndexProgress } from '../search/index/indexer.js';
import { searchCancelled, searchTooSlow } from '../search/index/search-faults.js';
import type { Outcome, SearchTask, Task, WorkerSettings } from './worker.js';

const timeLimitMs = 30_000;
const searchThreads = 2;
const maxWaiting = 256;
/** How long closing waits for what still runs. */
const closeMs = 5_000;

/**
 * Worker threads beside the event loop: some search, one writes the search index, one moves the write-ahead log into the
 * database. None is ever ended from outside: in the middle of a call of the database that would end the process.
 */
export class WorkerPool {
  private readonly searches: Piscina<Task, Outcome>;
  private readonly indexing: Piscina<Task, Outcome>;
  private readonly checkpoints: Piscina<Task, Outcome>;
  private closed = false;
  private readonly stopping = new Int32Array(new SharedArrayBuffer(4));

  constructor(settings: Omit<WorkerSettings, 'stopping'>, log: Log) {
    const pool = (maxThreads: number) => {
      const threads = new Piscina<Task, Outcome>({
        filename: new URL('./worker.js', import.meta.url).href,
        name: 'run',
        workerData: { ...settings, stopping: this.stopping } satisfies WorkerSettings,
        minThreads: 0,
        maxThreads,
        maxQueue: maxWaiting,
        idleTimeout: 60_000,
      });
      threads.on('error', (error) => log.error({ err: error }, 'storage worker failed'));
      return threads;
    };
    this.searches = pool(searchThreads);
    this.indexing = pool(1);
    this.checkpoints = pool(1);
  }

  /**
   * @param signal ends the search when nobody waits for it any more
   * @throws Fault busy `search.busy`; unavailable `search.too-slow`, `search.cancelled`, `search.unavailable`
   */
  async query(inquiry: SearchTask, signal: AbortSignal | undefined): Promise<Exclude<Outcome, { kind: 'fault' }>> {
    if (this.closed) throw searchUnavailable(undefined);
    if (signal?.aborted) throw searchCancelled();
    if (this.searches.queueSize >= maxWaiting) {
      throw new Fault('busy', 'search.busy', 'Too many searches are waiting. Try again in a moment.');
    }
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const cancel = () => Atomics.store(cancelled, 0, 1);
    signal?.addEventListener('abort', cancel, { once: true });
    const limit = new AbortController();
    try {
      return await Promise.race([
        outcomeOf(this.searches, { kind: 'search', inquiry, deadlineMs: Date.now() + timeLimitMs, cancelled }),
        sleep(timeLimitMs, undefined, { signal: limit.signal, ref: false }).then(() => {
          throw searchTooSlow();
        }),
      ]);
    } finally {
      limit.abort();
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Brings some of what is new into the search index. */
  async index(): Promise<IndexProgress> {
    const outcome = await outcomeOf(this.indexing, { kind: 'index' });
    if (outcome.kind === 'indexed') return outcome.progress;
    throw new Error(`indexing came back as ${outcome.kind}`);
  }

  async checkpoint(): Promise<void> {
    await outcomeOf(this.checkpoints, { kind: 'checkpoint' });
  }

  /** What runs long in the background gives up. */
  stop(): void {
    Atomics.store(this.stopping, 0, 1);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stop();
    const closing = Promise.all([this.searches, this.indexing, this.checkpoints].map((threads) => threads.close()));
    await Promise.race([closing, sleep(closeMs, undefined, { ref: false })]);
  }
}

async function outcomeOf(threads: Piscina<Task, Outcome>, task: Task): Promise<Exclude<Outcome, { kind: 'fault' }>> {
  const outcome = await threads.run(task).catch((error: unknown) => {
    throw searchUnavailable(error);
  });
  if (outcome.kind !== 'fault') return outcome;
  const { kind, code, message, cause } = outcome.fault;
  // As an error: what else there is as a cause, the log leaves out.
  throw new Fault(kind, code, message, { cause: cause === undefined ? undefined : new Error(cause) });
}

function searchUnavailable(cause: unknown): Fault {
  return new Fault('unavailable', 'search.unavailable', 'The search does not answer. Try again in a moment.', {
    cause,
  });
}
