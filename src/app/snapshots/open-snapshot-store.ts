import { openDirectorySnapshots } from '../../engines/files/directory-snapshots.js';
import type { SnapshotTarget } from '../../engines/snapshot-options.js';
import type { Log } from '../../kernel/log.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';

/**
 * Opens the store of the snapshots of a logbook.
 * @throws Error when it belongs to another logbook, or cannot be used
 */
export async function openSnapshotStore(
  target: SnapshotTarget,
  storeId: string,
  log: Log,
): Promise<ReplicaSnapshotStore> {
  if (target.kind === 'files') return openDirectorySnapshots(target.dir, storeId);
  const { openBucketSnapshots } = await import('../../engines/s3/bucket-snapshots.js');
  return openBucketSnapshots(target.s3, storeId, log);
}

/** Opens the store for as long as `work` takes. */
export async function withSnapshotStore<T>(
  { target, storeId, log }: { readonly target: SnapshotTarget; readonly storeId: string; readonly log: Log },
  work: (store: ReplicaSnapshotStore) => Promise<T>,
): Promise<T> {
  const store = await openSnapshotStore(target, storeId, log);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}
