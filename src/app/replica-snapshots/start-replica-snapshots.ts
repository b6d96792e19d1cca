import { join } from 'node:path';
import type { ReplicaSnapshotStoreOptions } from '../../engines/replica-snapshot-options.js';
import type { Storage } from '../../engines/storage.port.js';
import type { SharedOptions, StorageOptions } from '../../engines/storage-options.js';
import type { RequestMetrics } from '../../http/metrics.js';
import type { Clock } from '../../kernel/clock.js';
import type { HealthSource } from '../../kernel/health.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import type { ReplicaUpdater } from '../../search/replica/replica-updater.js';
import type { CleanupStack } from '../cleanup-stack.js';

/** Folder of a data directory for data that a node can rebuild from the storage. */
export const replicaFolder = 'replica';

interface Deps {
  readonly storage: Storage;
  /** Updater of the replica of this node; undefined when the node has none. */
  readonly updater: ReplicaUpdater | undefined;
  readonly jobs: JobRegistry;
  readonly metrics: RequestMetrics;
  readonly log: Log;
  readonly clock: Clock;
}

/** Starts to make snapshots of the replicas of a cluster. Returns undefined when this node makes none. */
export async function startReplicaSnapshots(
  { storage, updater, jobs, metrics, log, clock }: Deps,
  options: StorageOptions,
  cleanup: CleanupStack,
): Promise<HealthSource | undefined> {
  if (!updater || options.kind !== 'postgres' || options.snapshots.intervalMs === 0) return undefined;
  const { storeId } = await storage.status();
  const { intervalMs, minFreeBytes } = options.snapshots;
  const replicaDir = join(options.dataDir, replicaFolder);
  const settings = { storeOptions: snapshotStoreOptions(options), storeId, replicaDir, minFreeBytes };
  const { committed } = storage;
  const { ReplicaSnapshots } = await import('./replica-snapshots.js');
  const snapshots = new ReplicaSnapshots({
    settings,
    intervalMs,
    updater,
    committed,
    clock,
    log: log.child({ part: 'replica-snapshots' }),
  });
  metrics.gaugePer(
    'job',
    'logbook_replica_snapshot_age_seconds',
    'Time since the newest snapshot of the replicas was begun; absent until it is known, and on the nodes that make none.',
    () => [['replica-snapshot', snapshots.ageSeconds]],
  );
  const job = jobs.start(snapshots.job());
  job.trigger();
  cleanup.defer(() => job.stop());
  return snapshots;
}

/**
 * Returns the options of the snapshot store. Snapshots are stored next to the attachment files, which all nodes can
 * reach.
 */
export function snapshotStoreOptions({
  blobs,
  attachmentsDir,
}: Pick<SharedOptions, 'blobs' | 'attachmentsDir'>): ReplicaSnapshotStoreOptions {
  return blobs.kind === 'files' ? { kind: 'files', dir: attachmentsDir } : blobs;
}
