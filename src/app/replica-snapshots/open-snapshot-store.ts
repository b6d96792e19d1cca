import { openDirectorySnapshots } from '../../engines/files/directory-snapshots.js';
import type { ReplicaSnapshotStoreOptions } from '../../engines/replica-snapshot-options.js';
import type { Log } from '../../kernel/log.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';

/**
 * Opens the store of the snapshots of a logbook.
 * @throws Error when it belongs to another logbook, or cannot be used
 */
export async function openSnapshotStore(
  storeOptions: ReplicaSnapshotStoreOptions,
  storeId: string,
  log: Log,
): Promise<ReplicaSnapshotStore> {
  if (storeOptions.kind === 'files') return openDirectorySnapshots(storeOptions.dir, storeId);
  const { openBucketSnapshots } = await import('../../engines/s3/bucket-snapshots.js');
  return openBucketSnapshots(storeOptions.s3, storeId, log);
}

/** Opens the store, runs `work`, and closes the store. */
export async function withSnapshotStore<T>(
  {
    storeOptions,
    storeId,
    log,
  }: { readonly storeOptions: ReplicaSnapshotStoreOptions; readonly storeId: string; readonly log: Log },
  work: (store: ReplicaSnapshotStore) => Promise<T>,
): Promise<T> {
  const store = await openSnapshotStore(storeOptions, storeId, log);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}
