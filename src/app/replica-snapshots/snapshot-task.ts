import type { ReplicaSnapshotStoreOptions } from '../../engines/replica-snapshot-options.js';
import type { ReplicaFiles } from '../../search/replica/entry-replica.port.js';
import type {
  ReplicaContent,
  ReplicaSnapshotManifest,
  ReplicaSnapshotPart,
} from '../../search/replica/replica-snapshot-manifest.js';

interface CommonTask {
  readonly storeOptions: ReplicaSnapshotStoreOptions;
  readonly storeId: string;
  /** Absolute path of the directory. Its content is removed. */
  readonly dir: string;
  /** Free space that the disks must keep. */
  readonly minFreeBytes: number;
}

/** Copies the files of a replica that is in use, and stores them as the parts of a snapshot. */
export interface MakeTask extends CommonTask {
  readonly kind: 'make';
  readonly name: string;
  readonly files: ReplicaFiles;
}

/** Creates a directory with the files of a replica from a snapshot. */
export interface FetchTask extends CommonTask {
  readonly kind: 'fetch';
  readonly manifest: ReplicaSnapshotManifest;
}

export type ReplicaSnapshotTask = MakeTask | FetchTask;

export type MakeResult =
  | { readonly kind: 'made'; readonly content: ReplicaContent; readonly parts: readonly ReplicaSnapshotPart[] }
  /** There is nothing useful to copy now, for example because the index is being rebuilt or the replica is empty. */
  | { readonly kind: 'not-yet' };

export type ReplicaSnapshotTaskResult = MakeResult | { readonly kind: 'fetched' };
