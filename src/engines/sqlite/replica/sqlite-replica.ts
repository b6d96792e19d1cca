import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackgroundJob } from '../../../kernel/background-job.js';
import { Fault } from '../../../kernel/fault.js';
import type { Integrity } from '../../../kernel/integrity.js';
import type { JobRegistry } from '../../../kernel/job-registry.js';
import type { Log } from '../../../kernel/log.js';
import { makeDirectory } from '../../../kernel/make-directory.js';
import type { EntryReplica, ReplicaPlace } from '../../../search/replica/entry-replica.port.js';
import { checkpointJob } from '../database/checkpoints.js';
import type { Connection } from '../database/connection.js';
import { openDatabase } from '../database/open-database.js';
import { IndexFiles } from '../search/index/index-files.js';
import { SqliteSearchIndex } from '../search/sqlite-search-index.js';
import { recordRun } from '../tables/entry-writes.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { hasText, readFollowed, storeArchived, storeEntries, versionOf } from './replica-tables.js';

const entriesFile = 'entries.sqlite';

export interface ReplicaOptions {
  /** Absolute path of the directory that belongs to the replica alone. */
  readonly dir: string;
  /** The storage that it is a copy of. */
  readonly storeId: string;
  readonly searchThreads: number;
  readonly log: Log;
  readonly jobs: JobRegistry;
  readonly integrity: Pick<Integrity, 'report' | 'resolve'>;
}

interface OpenFiles {
  readonly writer: Connection;
  readonly reader: Connection;
  readonly index: IndexFiles;
  readonly file: string;
  readonly damage: { isFound: boolean };
}

/** The place of a replica: `entries.sqlite` has the entries, and the search index is beside it, as in a data directory. */
export function replicaPlace(options: ReplicaOptions): ReplicaPlace {
  const remove = () => rmSync(options.dir, { recursive: true, force: true });
  return {
    async open() {
      await makeDirectory(options.dir, 0o700);
      try {
        return startReplica(await openFiles(options), options);
      } catch (error) {
        // It is no damage that the disk is full.
        if (error instanceof Fault && error.kind === 'full') throw error;
        options.log.warn({ err: error }, 'replica of the entries cannot be used; it is built again');
        remove();
        await makeDirectory(options.dir, 0o700);
        return startReplica(await openFiles(options), options);
      }
    },
    remove,
  };
}

async function openFiles({ dir, storeId }: ReplicaOptions): Promise<OpenFiles> {
  const file = join(dir, entriesFile);
  const damage = { isFound: false };
  const reports = {
    report: () => {
      damage.isFound = true;
    },
  };
  const opened: { close(): void }[] = [];
  try {
    const writer = await openDatabase(file, 'writer', reports);
    opened.push(writer);
    claim(writer, storeId);
    const reader = await openDatabase(file, 'reader', reports);
    opened.push(reader);
    const index = await IndexFiles.open(dir, reader);
    opened.push(index);
    recordRun(writer);
    return { writer, reader, index, file, damage };
  } catch (error) {
    for (const one of opened.reverse()) one.close();
    throw error;
  }
}

/** @throws Error when it is the replica of another storage */
function claim(writer: Connection, storeId: string): void {
  // What a crash takes away is read from the storage once more.
  writer.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF');
  const owner = writer.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'")?.value;
  if (owner === storeId) return;
  if (writer.get('SELECT 1 FROM entry LIMIT 1')) throw new Error(`it belongs to the logbook ${owner}, not ${storeId}`);
  writer.run("UPDATE store SET value = ? WHERE key = 'id'", storeId);
}

function startReplica(files: OpenFiles, { searchThreads, log, jobs, integrity }: ReplicaOptions): EntryReplica {
  const { writer, reader, index, file, damage } = files;
  const workers = new WorkerPool({ file, indexFile: index.file }, searchThreads, log);
  const searchIndex = new SqliteSearchIndex(workers, reader, index, jobs, log, integrity);
  const checkpoints = jobs.start(checkpointJob(workers));
  let closing: Promise<void> | undefined;
  return {
    searchIndex,
    get followed() {
      return readFollowed(writer);
    },
    get isDamaged() {
      return damage.isFound;
    },
    versionOf: (id) => versionOf(writer, id),
    hasText: (checksum) => hasText(writer, checksum),
    storeArchived: (id, versions) => inTransaction(writer, () => storeArchived(writer, id, versions)),
    store(entries, followed) {
      inTransaction(writer, () => storeEntries(writer, entries, followed));
      checkpoints.trigger();
      searchIndex.onWrite();
    },
    close: () => (closing ??= close(files, workers, searchIndex, checkpoints)),
  };
}

function inTransaction(writer: Connection, work: () => void): void {
  try {
    writer.exec('BEGIN IMMEDIATE');
    work();
    writer.exec('COMMIT');
  } catch (error) {
    writer.rollBack();
    throw error;
  }
}

async function close(
  { index, reader, writer }: OpenFiles,
  workers: WorkerPool,
  searchIndex: SqliteSearchIndex,
  checkpoints: BackgroundJob,
): Promise<void> {
  workers.stop();
  await checkpoints.stop();
  await searchIndex.close();
  await workers.close();
  index.close();
  reader.close();
  writer.close();
}
