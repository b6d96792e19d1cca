import type { S3Options } from './s3/s3-options.js';

/** Location of the snapshots of replicas, next to the files of attachments. */
export type ReplicaSnapshotStoreOptions =
  /** Absolute path of the directory of the attachments. */
  { readonly kind: 'files'; readonly dir: string } | { readonly kind: 's3'; readonly s3: S3Options };

/** The folder in that directory, and what keys in a bucket begin with. */
export const snapshotFolder = 'replica-snapshots';
