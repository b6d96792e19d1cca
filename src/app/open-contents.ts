import type { BlobStore } from '../attachments/blob-store.port.js';
import type { Storage } from '../engines/storage.port.js';
import type { StorageOptions } from '../engines/storage-options.js';
import { Integrity } from '../kernel/integrity.js';
import { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { SearchIndex } from '../search/search-index.port.js';
import type { CleanupStack } from './cleanup-stack.js';
import { openSharedContents } from './open-shared-storage.js';
import { lockStorage, openStorage } from './open-storage.js';

/** Documents and files of a logbook, for a command that reads or writes many of them. */
export interface Contents {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  /** Undefined if the service updates the index at its next start, or each node of a shared storage updates its own. */
  readonly searchIndex: SearchIndex | undefined;
}

/**
 * Opens the storage for a command. An embedded storage must not be in use. With a shared storage, the command acts as
 * another node.
 * @throws Error when a process is using the data directory, or its parts do not belong together
 */
export async function openContents(options: StorageOptions, log: Log, cleanup: CleanupStack): Promise<Contents> {
  const lock = await lockStorage(options, cleanup);
  const deps = { log, jobs: new JobRegistry({ log }), integrity: new Integrity(log) };
  if (options.kind === 'embedded') {
    // Search threads would take CPU cores from the command.
    const { storage, blobs, own } = await openStorage({ ...options, searchThreads: 0 }, lock, deps, cleanup);
    return { storage, blobs, searchIndex: own?.searchIndex };
  }
  return { ...(await openSharedContents(options, lock, deps, cleanup)), searchIndex: undefined };
}
