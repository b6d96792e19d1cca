import type { S3Options } from './s3/s3-options.js';

/** Location of the snapshots of replicas, next to the files of attachments. */
export type ReplicaSnapshotStoreOptions =
  /** Absolute path of the attachments directory. */
  { readonly kind: 'files'; readonly dir: string } | { readonly kind: 's3'; readonly s3: S3Options };

/** Folder in the attachments directory, and prefix of the keys in a bucket. */
export const snapshotFolder = 'replica-snapshots';
