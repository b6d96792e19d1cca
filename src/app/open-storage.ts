import { dirname, join } from 'node:path';
import type { BlobStore } from '../attachments/blob-store.port.js';
import { openFileBlobStore } from '../engines/files/file-blob-store.js';
import { lockDataDir } from '../engines/sqlite/data-dir-lock.js';
import { openSqliteStorage } from '../engines/sqlite/sqlite-storage.js';
import type { Storage } from '../engines/storage.port.js';
import type { StorageOptions } from '../engines/storage-options.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { makeDirectory } from '../kernel/make-directory.js';
import { syncDirectory } from '../kernel/sync-directory.js';
import type { SearchIndex } from '../search/search-index.port.js';
import type { CleanupStack } from './cleanup-stack.js';

export interface Stores {
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
  readonly blobs: BlobStore;
}

/**
 * Makes this process the only one that uses the storage, if its engine supports one process only.
 * @throws Error when another process is using it
 */
export async function lockStorage(options: StorageOptions, cleanup: CleanupStack): Promise<void> {
  switch (options.kind) {
    case 'embedded': {
      const { dataDir } = options;
      await makeDirectory(dataDir);
      const unlock = await lockDataDir(dataDir);
      if (!unlock) {
        throw new Error(`Another process is using the data directory ${dataDir}. Stop it, or use another directory.`);
      }
      cleanup.defer(unlock);
    }
  }
}

/** Opens the storage, which must be locked. */
export async function openStorage(
  options: StorageOptions,
  deps: { readonly log: Log; readonly jobs: JobRegistry },
  cleanup: CleanupStack,
): Promise<Stores> {
  switch (options.kind) {
    case 'embedded':
      return openEmbeddedStorage(options.dataDir, deps, cleanup);
  }
}

async function openEmbeddedStorage(
  dataDir: string,
  { log, jobs }: { readonly log: Log; readonly jobs: JobRegistry },
  cleanup: CleanupStack,
): Promise<Stores> {
  const { storage, searchIndex } = await openSqliteStorage({ dataDir, log: log.child({ part: 'sqlite' }), jobs });
  cleanup.use(storage);
  const blobs = await openFileBlobStore(join(dataDir, 'attachments'));
  // Otherwise a power failure could lose the new directories with the files in them.
  await syncDirectory(dataDir);
  await syncDirectory(dirname(dataDir));
  return { storage, searchIndex, blobs };
}
