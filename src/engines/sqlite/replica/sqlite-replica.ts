import { existsSync, readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackgroundJob } from '../../../kernel/background-job.js';
import { Fault } from '../../../kernel/fault.js';
import type { Integrity } from '../../../kernel/integrity.js';
import type { JobRegistry } from '../../../kernel/job-registry.js';
import type { Log } from '../../../kernel/log.js';
import { makeDirectory } from '../../../kernel/make-directory.js';
import { syncDirectory } from '../../../kernel/sync-directory.js';
import type { EntryReplica, ReplicaOpener } from '../../../search/replica/entry-replica.port.js';
import type { PartKind } from '../../../search/replica/replica-snapshot-manifest.js';
import { checkpointJob } from '../database/checkpoints.js';
import type { Connection } from '../database/connection.js';
import { openDatabase } from '../database/open-database.js';
import { IndexFiles, indexFilesIn } from '../search/index/index-files.js';
import { newestRedaction } from '../search/index/removed-content.js';
import { SqliteSearchIndex } from '../search/sqlite-search-index.js';
import { recordRun } from '../tables/entry-writes.js';
import { WorkerPool } from '../workers/worker-pool.js';
import {
  hasText,
  listTextFilesOf,
  listUnshownTextFiles,
  readFollowed,
  revisionOf,
  storeArchived,
  storeEntries,
  storeRedaction,
} from './replica-tables.js';

const entriesFile = 'entries.sqlite';

export interface ReplicaOptions {
  /** Absolute path of a directory used only by the replica. */
  readonly dir: string;
  /** Id of the storage that is replicated. */
  readonly storeId: string;
  readonly searchThreads: number;
  /** See `SearchIndexDeps`. */
  readonly restrictedLogbooks?: readonly string[] | undefined;
  readonly log: Log;
  readonly jobs: JobRegistry;
  readonly integrity: Pick<Integrity, 'report' | 'resolve'>;
  /**
   * Called when there is no usable replica. May create `dir` with the files of one, see `replicaFile`; resolves to true
   * once they are on disk. If it resolves to false, or is not given, the replica starts empty.
   */
  seed?(dir: string, signal: AbortSignal): Promise<boolean>;
}

interface OpenFiles {
  readonly writer: Connection;
  readonly reader: Connection;
  readonly index: IndexFiles;
  readonly file: string;
  readonly damage: { isFound: boolean };
}

/**
 * Returns the opener of a replica. `entries.sqlite` in its folder contains the entries; the search index is next to it,
 * as in a data directory.
 */
export function replicaOpener(options: ReplicaOptions): ReplicaOpener {
  const { dir, log } = options;
  const isPresent = () => existsSync(replicaFile(dir, 'entries'));
  return {
    get isPresent() {
      return isPresent();
    },
    async open(signal) {
      if (!isPresent()) await begin(options, signal);
      try {
        return await openReplica(options);
      } catch (error) {
        // A full disk is not damage.
        if (error instanceof Fault && error.kind === 'full') throw error;
        log.warn({ err: error }, 'replica of the entries cannot be used; rebuilding it');
        await begin(options, signal);
        return openReplica(options);
      }
    },
    remove: () => removeContent(dir),
  };
}

export function replicaFile(dir: string, kind: PartKind): string {
  return kind === 'entries' ? join(dir, entriesFile) : indexFilesIn(dir)[0];
}

/** Returns the directory to which another process copies the files of a replica. Emptied when the replica is opened. */
export const outgoingDir = (replicaDir: string): string => join(replicaDir, 'outgoing');
const incomingDir = (replicaDir: string): string => join(replicaDir, 'incoming');

/** Replaces the replica with the one provided by `seed`. After a crash, the replica is complete or absent. */
async function begin({ dir, seed }: ReplicaOptions, signal: AbortSignal): Promise<void> {
  // An index without its entries is useless and would be in the way.
  removeContent(dir);
  await makeDirectory(dir, 0o700);
  const incoming = incomingDir(dir);
  const isSeeded = await seed?.(incoming, signal);
  signal.throwIfAborted();
  if (!isSeeded) return;
  // The entries are moved last, because their file marks the replica as present.
  for (const kind of ['index', 'entries'] as const) {
    await rename(replicaFile(incoming, kind), replicaFile(dir, kind));
    await syncDirectory(dir);
  }
}

/** Removes the content only: the directory itself may be a mount point. */
function removeContent(dir: string): void {
  if (!existsSync(dir)) return;
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true });
}

async function openReplica(options: ReplicaOptions): Promise<EntryReplica> {
  await makeDirectory(options.dir, 0o700);
  // Files left by a killed process may contain content that was redacted since.
  for (const left of [incomingDir(options.dir), outgoingDir(options.dir)])
    rmSync(left, { recursive: true, force: true });
  return startReplica(await openFiles(options), options);
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

/** @throws Error when the replica belongs to another storage */
function claim(writer: Connection, storeId: string): void {
  // A crash may lose the last writes, which are then read from the storage again.
  writer.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF');
  const owner = writer.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'")?.value;
  if (owner === storeId) return;
  if (writer.get('SELECT 1 FROM entry LIMIT 1')) throw new Error(`it belongs to the logbook ${owner}, not ${storeId}`);
  writer.run("UPDATE store SET value = ? WHERE key = 'id'", storeId);
}

function startReplica(files: OpenFiles, options: ReplicaOptions): EntryReplica {
  const { searchThreads, restrictedLogbooks, log, jobs, integrity } = options;
  const { writer, reader, index, file, damage } = files;
  const workers = new WorkerPool({ file, indexFile: index.file }, { search: searchThreads }, log);
  const indexDeps = { documents: reader, files: index, jobs, log, integrity, restrictedLogbooks };
  const searchIndex = new SqliteSearchIndex({ workers, ...indexDeps });
  const checkpoints = jobs.start(checkpointJob(workers));
  let closing: Promise<void> | undefined;
  return {
    searchIndex,
    get files() {
      return { entries: file, index: index.file };
    },
    get followed() {
      return readFollowed(writer);
    },
    get isDamaged() {
      return damage.isFound;
    },
    revisionOf: (id) => revisionOf(writer, id),
    hasText: (checksum) => hasText(writer, checksum),
    get redaction() {
      return newestRedaction(writer);
    },
    listTextFiles: (id) => listTextFilesOf(writer, id),
    listUnshownTextFiles: (next) => listUnshownTextFiles(writer, next),
    storeRedaction(redaction, forgotten) {
      inTransaction(writer, () => storeRedaction(writer, redaction, forgotten));
      checkpoints.trigger();
      searchIndex.onWrite();
    },
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
