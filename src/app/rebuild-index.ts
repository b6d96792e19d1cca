import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { documentsFile } from '../engines/sqlite/inspect-documents.js';
import { openSqliteStorage, removeSearchIndex } from '../engines/sqlite/sqlite-storage.js';
import type { EmbeddedOptions, StorageOptions } from '../engines/storage-options.js';
import { Integrity } from '../kernel/integrity.js';
import { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { untilAborted } from '../kernel/with-timeout.js';
import { CleanupStack } from './cleanup-stack.js';
import { openSharedStorage, replicaFolder } from './open-shared-storage.js';
import { lockStorage, recordClosed } from './open-storage.js';
import { checkWithoutIndex, isLogMissing, readDataDir } from './storage-identity.js';

/**
 * Removes the search index and builds it again from the entries.
 * @throws the reason of `signal` when it aborts, after which the index is incomplete until the service or this runs again
 * @throws Error when a process is using the data directory, or it contains no logbook
 */
export async function rebuildSearchIndex(
  storageOptions: StorageOptions,
  log: Log,
  onProgress: (indexed: number, all: number) => void,
  signal: AbortSignal,
): Promise<void> {
  if (storageOptions.kind === 'embedded') return rebuildEmbedded(storageOptions, log, onProgress, signal);
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const lock = await lockStorage(storageOptions, cleanup);
    const [jobs, integrity] = [new JobRegistry({ log }), new Integrity(log)];
    rmSync(join(storageOptions.dataDir, replicaFolder), { recursive: true, force: true });
    const { searchIndex } = await openSharedStorage(storageOptions, lock, { log, jobs, integrity }, cleanup);
    await untilAborted(signal, () => searchIndex.waitUntilIndexed(onProgress));
  });
  await cleanup.close();
}

async function rebuildEmbedded(
  options: EmbeddedOptions,
  log: Log,
  onProgress: (indexed: number, all: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { dataDir } = options;
  const noLogbook = `There is no logbook in ${dataDir}. Nothing was changed. Check the name of the directory.`;
  // A lock would be the first file in a directory that was named by mistake.
  await stat(join(dataDir, documentsFile)).catch(() => {
    throw new Error(noLogbook);
  });
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const lock = await lockStorage(options, cleanup);
    const contents = await readDataDir(dataDir, lock, options.blobs.kind);
    checkWithoutIndex(contents);
    if (contents.documents.kind !== 'present') throw new Error(noLogbook);
    signal.throwIfAborted();
    removeSearchIndex(dataDir);
    const { storage, searchIndex } = await openSqliteStorage({
      dataDir,
      log,
      jobs: new JobRegistry({ log }),
      integrity: new Integrity(log),
    });
    // Runs after the storage is closed. A log that is missing is left for the start to warn of.
    if (!isLogMissing(contents)) cleanup.defer(() => recordClosed(dataDir, lock, log));
    cleanup.use(storage);
    await untilAborted(signal, () => searchIndex.waitUntilIndexed(onProgress));
  });
  await cleanup.close();
}
