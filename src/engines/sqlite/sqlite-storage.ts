import { join } from 'node:path';
import { localSignInState } from '../../auth/local-sign-in-state.js';
import type { BackgroundJob } from '../../kernel/background-job.js';
import { systemClock } from '../../kernel/clock.js';
import type { Fault } from '../../kernel/fault.js';
import type { Integrity } from '../../kernel/integrity.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import { LocalLeases } from '../../kernel/local-leases.js';
import type { Log } from '../../kernel/log.js';
import { RemovalGate } from '../../kernel/removal-gate.js';
import type { StorageStatus } from '../../kernel/storage-status.js';
import type { Commit } from '../../kernel/unit-of-work.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { Storage } from '../storage.port.js';
import { checkpointJob } from './database/checkpoints.js';
import type { Connection } from './database/connection.js';
import { DatabaseFileCheck } from './database/database-file-check.js';
import { refusalForLackOfSpace } from './database/disk-space.js';
import { copyBeforeMigration } from './database/migration-copy.js';
import { openDatabase } from './database/open-database.js';
import { SqliteWriteQueue } from './database/write-queue.js';
import { databaseCheckJob } from './database-check-job.js';
import { writeMark } from './database-mark.js';
import { EntryIds } from './entry-ids.js';
import { documentsFile } from './inspect-documents.js';
import { migrationCopiesJob } from './migration-copies-job.js';
import { IndexFiles, removeIndexFiles } from './search/index/index-files.js';
import { SqliteSearchIndex } from './search/sqlite-search-index.js';
import { committedOn } from './sqlite-transaction.js';
import { storageHealth } from './storage-health.js';
import { newestId } from './tables/entries.js';
import { recordRun } from './tables/entry-writes.js';
import { backfillChecksumsJob, needsChecksums, skipIfEmpty } from './tables/fill-checksums.js';
import { backfillEntryFilesJob, needsFilling } from './tables/fill-entry-files.js';
import { rowVerificationReader } from './tables/row-verification.js';
import { WorkerPool } from './workers/worker-pool.js';

export interface SqliteOptions {
  /** Absolute path of an existing directory. */
  readonly dataDir: string;
  /** Number of search threads. Default: 3. */
  readonly searchThreads?: number;
  /** Number of threads that read entries for the thread that writes the index. Default: see `defaultBlockReaders`. */
  readonly blockReaders?: number;
  /** Mark to write into the database file, see `database-mark.ts`; undefined: the mark is not changed. */
  readonly mark?: number | undefined;
  /** Called once the database file itself has the mark. */
  readonly onMarked?: () => void;
  /** Whether the database is copied before it is migrated, see `migration-copy.ts`. Default: true. */
  readonly migrationCopy?: boolean;
  /** Gate that decides whether expired data may be removed. Default: it may not. */
  readonly removals?: RemovalGate;
  /** See `SearchIndexDeps`. */
  readonly restrictedLogbooks?: readonly string[] | undefined;
  readonly log: Log;
  readonly jobs: JobRegistry;
  readonly integrity: Integrity;
}

export interface SqliteStorage {
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
  /** Resolves when the first search will be as fast as later ones, or after a few seconds. */
  readonly warmedUp: Promise<void>;
}

/**
 * Opens the storage in `dataDir`. `logbook.sqlite` holds documents, archive, change feed and sessions; `search.sqlite`
 * holds the search index, which can be rebuilt from them. Writes use one connection. Reads use another, which sees only
 * committed data. Searches use their own connections in worker threads.
 */
export async function openSqliteStorage(options: SqliteOptions): Promise<SqliteStorage> {
  const { storage, workers, addIndex } = await openFiles(options);
  return { storage, searchIndex: addIndex(), warmedUp: workers.warmedUp };
}

/** Opens the storage in `dataDir` without its search index, which stays unchanged. */
export async function openUnindexedStorage(options: Omit<SqliteOptions, 'searchThreads'>): Promise<Storage> {
  return (await openFiles({ ...options, searchThreads: 0 })).storage;
}

async function openFiles(options: SqliteOptions): Promise<StartedStorage> {
  const { dataDir, log, integrity } = options;
  const file = join(dataDir, documentsFile);
  const cleanup: (() => void)[] = [];
  try {
    const copied = await copyBeforeMigration(file, options.migrationCopy ?? true, log);
    const writer = await openDatabase(file, 'writer', integrity).finally(() => copied?.close());
    cleanup.push(() => writer.close());
    const reader = await openDatabase(file, 'reader', integrity);
    cleanup.push(() => reader.close());
    const index = await IndexFiles.open(dataDir, reader);
    cleanup.push(() => index.close());
    const newest = newestId(writer);
    const ids = EntryIds.open(dataDir, newest, log);
    cleanup.push(() => ids.close(newest));
    try {
      if (options.mark !== undefined && writeMark(writer, options.mark)) options.onMarked?.();
      recordRun(writer);
      skipIfEmpty(writer);
      // Writes that the database lacks may have referenced the files that it lists as unreferenced.
      if (ids.isDatabaseOlder) writer.run('DELETE FROM unreferenced_file');
    } catch (error) {
      // A full disk must not prevent startup: entries can still be read.
      log.error({ err: error }, 'could not record this run in the database');
    }
    return startStorage({ writer, reader, index, ids, file }, options);
  } catch (error) {
    for (const close of cleanup.reverse()) close();
    throw error;
  }
}

interface OpenFiles {
  readonly writer: Connection;
  readonly reader: Connection;
  readonly index: IndexFiles;
  readonly ids: EntryIds;
  readonly file: string;
}

interface StartedStorage {
  readonly storage: Storage;
  readonly workers: WorkerPool;
  /** Starts the search index. Must be called at most once. */
  addIndex(): SearchIndex;
}

interface RunningParts extends OpenFiles {
  readonly workers: WorkerPool;
  readonly searchIndex: SqliteSearchIndex | undefined;
  readonly jobs: readonly BackgroundJob[];
  /** Jobs that complete data stored by an earlier version of the program. */
  readonly filling: readonly BackgroundJob[];
  readonly queue: SqliteWriteQueue;
}

function startWorkers({ file, index }: OpenFiles, { searchThreads = 3, blockReaders, log }: SqliteOptions): WorkerPool {
  const threads = { search: searchThreads, ...(blockReaders !== undefined && { blockReaders }) };
  return new WorkerPool({ file, indexFile: index.file }, threads, log);
}

function startStorage(files: OpenFiles, options: SqliteOptions): StartedStorage {
  const { log, jobs, integrity, restrictedLogbooks } = options;
  const { writer, reader, index, ids, file } = files;
  const indexDeps = { documents: reader, files: index, jobs, log, integrity, restrictedLogbooks };
  const workers = startWorkers(files, options);
  let searchIndex: SqliteSearchIndex | undefined;
  const listeners = new Set<(commit: Commit) => void>();
  const checkpoints = jobs.start(checkpointJob(workers));
  const { databaseCheck, migrationCopies } = startChecking({ file, reader }, options);
  const leases = new LocalLeases();
  let catalogChanges = 0;
  const afterCommit = (commit: Commit) => {
    checkpoints.trigger();
    migrationCopies.trigger();
    if (commit.catalog) catalogChanges += 1;
    if (commit.entries) searchIndex?.onWrite();
    // The commit is acknowledged: a failing listener must not affect the commit, later writes or other listeners.
    for (const listener of listeners) callListener(listener, commit, log);
  };
  const findRefusal = refusalFinder(files, log);
  const queue = new SqliteWriteQueue({ connection: writer, ids, leases, findRefusal, afterCommit });
  const health = storageHealth(() => queue.add(async () => recordProbe(writer)), file);
  const filling = startBackfills(reader, queue, jobs);
  let closing: Promise<void> | undefined;
  const storage: Storage = {
    committed: committedOn(reader),
    rowVerification: {
      committed: { rowVerification: rowVerificationReader(reader) },
      write: (work) => queue.add(work),
    },
    write: (work) => queue.add(work),
    remove: removeThrough(queue, files),
    onCommit(listener) {
      // The wrapper makes each registration distinct, so that a listener registered twice is called twice.
      const own = (commit: Commit) => listener(commit);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    catalogRevision: async () => String(catalogChanges),
    status: async () => readStatus(reader),
    checkHealth: () => health.read(),
    leases,
    signInState: localSignInState(),
    close: () =>
      (closing ??= closeStorage(
        { ...files, workers, searchIndex, jobs: [checkpoints, databaseCheck, migrationCopies], filling, queue },
        log,
      )),
  };
  return {
    storage,
    workers,
    addIndex: () => (searchIndex = new SqliteSearchIndex({ workers, ...indexDeps })),
  };
}

function removeThrough(queue: SqliteWriteQueue, { writer, file }: OpenFiles): Storage['remove'] {
  return (work) =>
    queue.add(
      async (tx) => {
        const refusal = refusalForLackOfSpace('remove', writer, file);
        if (refusal) throw refusal;
        return work(tx);
      },
      { isRemoval: true },
    );
}

/** Returns a function that checks before each commit whether to refuse it; see `SqliteWriteQueue`. */
function refusalFinder({ writer, file }: OpenFiles, log: Log): () => Fault | undefined {
  const inPlace = new DatabaseFileCheck(file, log);
  return () => {
    inPlace.require();
    return refusalForLackOfSpace('store', writer, file);
  };
}

/** Starts the database check, and the job that removes migration copies once it has passed. */
function startChecking(
  { file, reader }: Pick<OpenFiles, 'file' | 'reader'>,
  { removals: clockWatch = new RemovalGate(), log, jobs, integrity }: SqliteOptions,
) {
  const databaseCheck = jobs.start(databaseCheckJob(file, integrity));
  const isIntact = () => databaseCheck.status.lastSuccessMs !== undefined && !integrity.has('database', documentsFile);
  const migrationCopies = jobs.start(
    migrationCopiesJob({ file, reader, isIntact, clock: systemClock, clockWatch, log }),
  );
  for (const job of [databaseCheck, migrationCopies]) job.trigger();
  return { databaseCheck, migrationCopies };
}

/** Starts the jobs that complete data stored by an earlier version of the program. */
function startBackfills(reader: Connection, queue: SqliteWriteQueue, jobs: JobRegistry): BackgroundJob[] {
  const filling = [
    ...(needsFilling(reader) ? [backfillEntryFilesJob(() => queue.add(async (tx) => tx.fillEntryFiles()))] : []),
    ...(needsChecksums(reader) ? [backfillChecksumsJob(() => queue.add(async (tx) => tx.fillChecksums()))] : []),
  ].map((job) => jobs.start(job));
  for (const job of filling) job.trigger();
  return filling;
}

function callListener(listener: (commit: Commit) => void, commit: Commit, log: Log): void {
  try {
    listener(commit);
  } catch (error) {
    log.error({ err: error }, 'commit listener failed');
  }
}

async function closeStorage(parts: RunningParts, log: Log): Promise<void> {
  const { queue, jobs, filling, searchIndex, workers, index, reader, writer, ids } = parts;
  try {
    const drained = queue.close();
    for (const job of filling) await job.stop();
    await drained;
    // Stop the workers before awaiting the jobs, whose work in the threads ends only this way.
    workers.stop();
    for (const job of jobs) await job.stop();
    await searchIndex?.close();
    await workers.close();
    index.close();
    reader.close();
  } finally {
    try {
      ids.close(newestId(writer));
    } catch (error) {
      log.error({ err: error }, 'could not record the highest entry id; the next start skips some');
    }
    try {
      // After the checkpoint, a copy of the database file alone is complete.
      writer.get('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      log.error({ err: error }, 'final WAL checkpoint failed; WAL file remains');
    }
    writer.close();
  }
}

/** Stores the time of the check, so that the check performs a real write. */
function recordProbe(writer: Connection): void {
  writer.run("INSERT OR REPLACE INTO store (key, value) VALUES ('probe', ?)", String(Date.now()));
}

function readStatus(reader: Connection): StorageStatus {
  const store = reader.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
  const [address, state] = ['localhost', 'CONNECTED'];
  return { engine: 'EMBEDDED', servers: [{ address, state }], state, storeId: store?.value ?? '' };
}

/** Removes the search index, which the next `openSqliteStorage` rebuilds; returns its files. No process may use it. */
export function removeSearchIndex(dataDir: string): string[] {
  return removeIndexFiles(dataDir);
}
