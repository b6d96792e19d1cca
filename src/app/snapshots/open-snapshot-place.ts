import { openDirectorySnapshots } from '../../engines/files/directory-snapshots.js';
import type { SnapshotTarget } from '../../engines/snapshot-options.js';
import type { Log } from '../../kernel/log.js';
import type { SnapshotPlace } from '../../search/replica/snapshot-place.port.js';

/**
 * Opens the place of the snapshots of a logbook.
 * @throws Error when it belongs to another logbook, or cannot be used
 */
export async function openSnapshotPlace(target: SnapshotTarget, storeId: string, log: Log): Promise<SnapshotPlace> {
  if (target.kind === 'files') return openDirectorySnapshots(target.dir, storeId);
  const { openBucketSnapshots } = await import('../../engines/s3/bucket-snapshots.js');
  return openBucketSnapshots(target.s3, storeId, log);
}

/** Opens the place for as long as `work` takes. */
export async function withSnapshotPlace<T>(
  { target, storeId, log }: { readonly target: SnapshotTarget; readonly storeId: string; readonly log: Log },
  work: (place: SnapshotPlace) => Promise<T>,
): Promise<T> {
  const place = await openSnapshotPlace(target, storeId, log);
  try {
    return await work(place);
  } finally {
    place.close();
  }
}
