import type { OpenSearchOptions } from './opensearch/opensearch-options.js';
import type { PostgresOptions } from './postgres/postgres-options.js';
import type { S3Options } from './s3/s3-options.js';

/** Where the files of attachments are stored. */
export type BlobOptions =
  /** Files in the data directory. */
  { readonly kind: 'files' } | { readonly kind: 's3'; readonly s3: S3Options };

export type IndexOptions =
  /** Index in the data directory. */
  { readonly kind: 'embedded' } | { readonly kind: 'opensearch'; readonly opensearch: OpenSearchOptions };

export interface EmbeddedOptions {
  /** SQLite and files in a directory, used by this process alone. */
  readonly kind: 'embedded';
  /** Absolute path; created if it does not exist. */
  readonly dataDir: string;
  /** Whether the database is copied before it is migrated. */
  readonly migrationCopy: boolean;
  readonly searchThreads: number;
  readonly blobs: BlobOptions;
  readonly index: IndexOptions;
}

/** Options for snapshots of replicas, when entries are searched on each node. */
export interface ReplicaSnapshotOptions {
  /** 0: this node makes none. */
  readonly intervalMs: number;
  /** Free space that the disks must keep. */
  readonly minFreeBytes: number;
}

export interface SharedOptions {
  /** A PostgreSQL database, used by several processes. */
  readonly kind: 'postgres';
  /** Absolute path of what each process has for itself; created if it does not exist. */
  readonly dataDir: string;
  readonly searchThreads: number;
  /** Absolute path of the attachments, which all processes share; created if it does not exist. */
  readonly attachmentsDir: string;
  readonly postgres: PostgresOptions;
  readonly blobs: BlobOptions;
  readonly snapshots: ReplicaSnapshotOptions;
  readonly index: IndexOptions;
}

/** Which engine stores the data, and where. */
export type StorageOptions = EmbeddedOptions | SharedOptions;
