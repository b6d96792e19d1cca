import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { BackgroundJobs } from '../../kernel/background-jobs.js';
import type { Log } from '../../kernel/log.js';
import type { Commit } from '../../kernel/unit-of-work.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { Storage } from '../storage.port.js';
import { checkpointJob } from './database/checkpoints.js';
import type { Connection } from './database/connection.js';
import { checkFreeSpace } from './database/disk-space.js';
import { openDatabase } from './database/open-database.js';
import { WriteQueue } from './database/write-queue.js';
import { prepareIndex, removeIndex, unavailableReason } from './search/index/index-database.js';
import { SqliteSearchIndex } from './search/sqlite-search-index.js';
import { committedOn } from './sqlite-transaction.js';
import { recordRun } from './tables/entry-writes.js';
import { WorkerPool } from './workers/worker-pool.js';

/** The file of the documents in a data directory. */
export const documentsFile = 'logbook.sqlite';

export interface SqliteOptions {
  /** Absolute path of a directory that exists. */
  readonly dataDir: string;
  readonly log: Log;
  readonly jobs: BackgroundJobs;
}

export interface SqliteStorage {
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
}

/**
 * Documents, archive, change feed and sessions in one SQLite database, `logbook.sqlite` in `dataDir`; what can be made
 * anew from it, the search index, in `search.sqlite`. Writes go through one connection; reads through another, which
 * sees only what is committed; searches through connections of their own in worker threads.
 */
export async function openSqliteStorage({ dataDir, log, jobs }: SqliteOptions): Promise<SqliteStorage> {
  const file = join(dataDir, documentsFile);
  const indexFile = indexFileIn(dataDir);
  const cleanup: (() => void)[] = [];
  try {
    const writer = await openDatabase(file, 'writer');
    cleanup.push(() => writer.close());
    const reader = await openDatabase(file, 'reader');
    cleanup.push(() => reader.close());
    // Stays open: a full disk might not allow opening it again.
    const index = await prepareIndex(indexFile, reader);
    try {
      recordRun(writer);
    } catch (error) {
      // Entries can be read on a full disk all the same.
      log.error({ err: error }, 'could not record this run in the database');
    }
    return run({ writer, reader, index, file, indexFile }, log, jobs);
  } catch (error) {
    for (const close of cleanup.reverse()) close();
    throw error;
  }
}

interface OpenFiles {
  readonly writer: Connection;
  readonly reader: Connection;
  readonly index: Connection;
  readonly file: string;
  readonly indexFile: string;
}

function run({ writer, reader, index, file, indexFile }: OpenFiles, log: Log, jobs: BackgroundJobs): SqliteStorage {
  const workers = new WorkerPool({ file, indexFile }, log);
  const searchIndex = new SqliteSearchIndex(workers, reader, () => unavailableReason(indexFile, index, reader), jobs);
  const commits = new EventEmitter<{ commit: [Commit] }>();
  const checkpoints = jobs.start(checkpointJob(workers));
  const queue = new WriteQueue(
    writer,
    () => checkFreeSpace('store', writer, file),
    (commit) => {
      checkpoints.trigger();
      if (commit.entries) searchIndex.onWrite();
      commits.emit('commit', commit);
    },
  );

  let closing: Promise<void> | undefined;
  const close = async () => {
    await queue.close();
    await checkpoints.stop();
    await searchIndex.close();
    await workers.close();
    index.close();
    reader.close();
    try {
      // A copy of the one file is then a copy of everything.
      writer.get('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      log.error({ err: error }, 'final WAL checkpoint failed; WAL file remains');
    }
    writer.close();
  };

  const storage: Storage = {
    committed: committedOn(reader),
    write: (work) => queue.add(work),
    remove: (work) =>
      queue.add(
        async (tx) => {
          const full = checkFreeSpace('remove', writer, file);
          if (full) throw full;
          return work(tx);
        },
        { removes: true },
      ),
    onCommit(listener) {
      commits.on('commit', listener);
      return () => commits.off('commit', listener);
    },
    async status() {
      const store = reader.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
      return { engine: 'EMBEDDED', address: 'localhost', state: 'CONNECTED', storeId: store?.value ?? '' };
    },
    close: () => (closing ??= close()),
  };
  return { storage, searchIndex };
}

/** Removes the search index; the next that opens the storage makes it anew. Nothing may have it open. */
export function removeSearchIndex(dataDir: string): void {
  removeIndex(indexFileIn(dataDir));
}

function indexFileIn(dataDir: string): string {
  return join(dataDir, 'search.sqlite');
}
