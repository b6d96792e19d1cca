import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import {
  openIndexForReading,
  openIndexForWriting,
  truncateLongLog,
} from '../../src/engines/sqlite/search/index/index-database.js';
import { WordLearning } from '../../src/engines/sqlite/search/index/word-learning.js';
import { EntrySearcher } from '../../src/engines/sqlite/search/query/entry-search.js';
import { openSqliteStorage, type SqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import { Integrity } from '../../src/kernel/integrity.js';
import { JobRegistry } from '../../src/kernel/job-registry.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import type { Searcher } from './measure-searches.js';

const log = pino({ level: 'warn' }, pino.destination(2));

/** Opens the embedded engine as the service does, or with another number of search threads. */
export function openEngine(dataDir: string, searchThreads?: number): Promise<SqliteStorage> {
  const deps = { log, jobs: new JobRegistry({ log }), integrity: new Integrity(log) };
  return openSqliteStorage({ dataDir, ...deps, ...(searchThreads !== undefined && { searchThreads }) });
}

/** Resolves when every stored entry is indexed; rejects when the run is interrupted. */
export async function indexCaughtUp(searchIndex: SearchIndex, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const done = new AbortController();
  const interrupted = once(signal, 'abort', { signal: done.signal }).catch(() => undefined);
  try {
    await Promise.race([searchIndex.waitUntilIndexed(), interrupted]);
  } finally {
    done.abort();
  }
  signal.throwIfAborted();
}

/** Learns words from the entries and compares all entries with them, as the service does in the background. */
export async function learnWords(dataDir: string, signal: AbortSignal): Promise<void> {
  const file = join(dataDir, 'search.sqlite');
  const index = await openIndexForWriting(file);
  const documents = await openDatabase(join(dataDir, 'logbook.sqlite'), 'reader');
  try {
    const learning = new WordLearning(index, documents);
    while (learning.next([], () => signal.throwIfAborted())) {
      truncateLongLog(file, index);
      await nextTurn();
    }
  } finally {
    index.close();
    documents.close();
  }
}

/** Opens the search of a worker in this thread, to measure it alone. The index must exist. */
export async function openSearcher(dataDir: string): Promise<Searcher & { close(): void }> {
  const index = await openIndexForReading(join(dataDir, 'search.sqlite'));
  const documents = await openDatabase(join(dataDir, 'logbook.sqlite'), 'reader');
  const entries = new EntrySearcher(index, documents);
  return {
    search: async (query) => entries.search(query, {}, () => undefined),
    close() {
      index.close();
      documents.close();
    },
  };
}
