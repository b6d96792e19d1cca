import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenSearchOptions } from '../engines/opensearch/opensearch-options.js';
import { openSqliteStorage, removeSearchIndex } from '../engines/sqlite/sqlite-storage.js';
import type { EmbeddedOptions, StorageOptions } from '../engines/storage-options.js';
import { Integrity } from '../kernel/integrity.js';
import { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { untilAborted } from '../kernel/with-timeout.js';
import { CleanupStack } from './cleanup-stack.js';
import { openOpenSearch } from './open-search-index.js';
import { openSharedStorage } from './open-shared-storage.js';
import { lockStorage, openStorage } from './open-storage.js';
import { RecordedRun } from './recorded-run.js';
import { replicaFolder } from './replica-snapshots/start-replica-snapshots.js';
import { noLogbook, requireLogbook } from './require-logbook.js';
import { checkDataDir, isLogMissing, readDataDir } from './storage-identity.js';

export interface Rebuild {
  readonly log: Log;
  readonly onProgress: (indexed: number, all: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Rebuilds the search index from the entries. An index in the data directory is removed first.
 * @throws the reason of `signal` when it aborts; an index in the data directory then remains incomplete until the
 *   service or this function runs
 * @throws Error when a process is using the data directory, or it contains no logbook
 */
export async function rebuildSearchIndex(storageOptions: StorageOptions, rebuild: Rebuild): Promise<void> {
  const { log, onProgress, signal } = rebuild;
  const { index } = storageOptions;
  if (index.kind === 'opensearch') return rebuildElsewhere(storageOptions, index.opensearch, rebuild);
  if (storageOptions.kind === 'embedded') return rebuildEmbedded(storageOptions, rebuild);
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const lock = await lockStorage(storageOptions, cleanup);
    const [jobs, integrity] = [new JobRegistry({ log }), new Integrity(log)];
    rmSync(join(storageOptions.dataDir, replicaFolder), { recursive: true, force: true });
    const deps = { log, jobs, integrity };
    const { own } = await openSharedStorage(storageOptions, lock, deps, cleanup, { mayUseSnapshots: false });
    await untilAborted(signal, () => own?.searchIndex.waitUntilIndexed(onProgress));
  });
  await cleanup.close();
}

/** Builds a new index while other nodes continue to search the current one. */
async function rebuildElsewhere(
  options: StorageOptions,
  opensearch: OpenSearchOptions,
  { log, onProgress, signal }: Rebuild,
): Promise<void> {
  if (options.kind === 'embedded') requireLogbook(options.dataDir);
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const lock = await lockStorage(options, cleanup);
    const [jobs, integrity] = [new JobRegistry({ log }), new Integrity(log)];
    const { storage } = await openStorage(options, lock, { log, jobs, integrity }, cleanup);
    const searchIndex = cleanup.use(await openOpenSearch(storage, opensearch, { jobs, log }));
    await untilAborted(signal, () => searchIndex.rebuild(onProgress));
  });
  await cleanup.close();
}

async function rebuildEmbedded(options: EmbeddedOptions, { log, onProgress, signal }: Rebuild): Promise<void> {
  const { dataDir } = options;
  requireLogbook(dataDir);
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const lock = await lockStorage(options, cleanup);
    const contents = await readDataDir(dataDir, lock, options.blobs.kind);
    checkDataDir(contents, ['index']);
    if (contents.documents.kind !== 'present') throw noLogbook(dataDir);
    signal.throwIfAborted();
    removeSearchIndex(dataDir);
    const { storage, searchIndex } = await openSqliteStorage({
      dataDir,
      migrationCopy: options.migrationCopy,
      log,
      jobs: new JobRegistry({ log }),
      integrity: new Integrity(log),
    });
    // Runs after the storage is closed. If the write-ahead log is missing, the run is not recorded as ended, so that
    // the next start warns.
    if (!isLogMissing(contents)) cleanup.defer(() => new RecordedRun(contents, lock, log).end());
    cleanup.use(storage);
    await untilAborted(signal, () => searchIndex.waitUntilIndexed(onProgress));
  });
  await cleanup.close();
}
