import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { Fault } from '../../kernel/fault.js';
import type { Query } from '../../search/query.js';
import type { SearchIndex, SearchPage } from '../../search/search-index.port.js';
import { searchTooSlow } from './compile-query.js';
import type { Connection } from './database.js';
import type { Outcome, Task, WorkerSettings } from './read-worker.js';

const timeLimitMs = 30_000;
const searchThreads = 2;
const maxWaiting = 256;
/** How long closing waits for what still runs. */
const closeMs = 5_000;

/** Threads that read beside the event loop: one pool searches, one moves the write-ahead log into the database. */
export class ReadThreads {
  private readonly searches: Piscina<Task, Outcome>;
  private readonly checkpoints: Piscina<Task, Outcome>;
  private closed = false;

  constructor(settings: WorkerSettings, log: (message: string, error: unknown) => void) {
    const pool = (maxThreads: number) => {
      const threads = new Piscina<Task, Outcome>({
        filename: new URL('./read-worker.js', import.meta.url).href,
        name: 'run',
        workerData: settings,
        minThreads: 0,
        maxThreads,
        maxQueue: maxWaiting,
        idleTimeout: 60_000,
      });
      threads.on('error', (error) => log('a reading thread failed', error));
      return threads;
    };
    this.searches = pool(searchThreads);
    this.checkpoints = pool(1);
  }

  async search(query: Query): Promise<SearchPage> {
    if (this.closed) throw searchUnavailable(undefined);
    if (this.searches.queueSize >= maxWaiting) {
      throw new Fault('busy', 'search.busy', 'Too many searches are waiting. Try again in a moment.');
    }
    // The thread looks at the deadline itself. It is never ended from outside: in the middle of a call of the database
    // that would end the whole process.
    const task = { kind: 'search', query, deadlineMs: Date.now() + timeLimitMs } as const;
    const limit = new AbortController();
    const outcome = await Promise.race([
      outcomeOf(this.searches, task),
      sleep(timeLimitMs, undefined, { signal: limit.signal, ref: false }).then(() => {
        throw searchTooSlow();
      }),
    ]).finally(() => limit.abort());
    if (outcome.kind === 'page') return outcome.page;
    throw new Error(`a search came back as ${outcome.kind}`);
  }

  async checkpoint(): Promise<void> {
    await outcomeOf(this.checkpoints, { kind: 'checkpoint' });
  }

  async close(): Promise<void> {
    this.closed = true;
    const closing = Promise.all([this.searches.close(), this.checkpoints.close()]);
    await Promise.race([closing, sleep(closeMs, undefined, { ref: false })]);
  }
}

async function outcomeOf(threads: Piscina<Task, Outcome>, task: Task): Promise<Exclude<Outcome, { kind: 'fault' }>> {
  const outcome = await threads.run(task).catch((error: unknown) => {
    throw searchUnavailable(error);
  });
  if (outcome.kind !== 'fault') return outcome;
  const { kind, code, message, cause } = outcome.fault;
  throw new Fault(kind, code, message, { cause });
}

function searchUnavailable(cause: unknown): Fault {
  return new Fault('unavailable', 'search.unavailable', 'The search does not answer. Try again in a moment.', {
    cause,
  });
}

export function sqliteSearchIndex(threads: ReadThreads, connection: Connection): SearchIndex {
  return {
    search: (query) => threads.search(query),
    async status() {
      const row = connection.get<{ version: string }>('SELECT sqlite_version() AS version');
      const store = connection.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
      return {
        status: 'Connected',
        clusterName: 'embedded',
        clusterId: store?.value ?? '',
        version: `SQLite ${row?.version} FTS5`,
        host: 'localhost',
        port: '0',
      };
    },
  };
}
