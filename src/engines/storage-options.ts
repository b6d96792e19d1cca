import type { OpenSearchOptions } from './opensearch/opensearch-options.js';
import type { PostgresOptions } from './postgres/postgres-options.js';
import type { S3Options } from './s3/s3-options.js';

/** Location of attachment files. */
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

/** Options for replica snapshots, used when each node searches its own copy of the entries. */
export interface ReplicaSnapshotOptions {
  /** Interval in milliseconds; 0: this node makes no snapshots. */
  readonly intervalMs: number;
  /** Free disk space that snapshots must leave. */
  readonly minFreeBytes: number;
}

export interface SharedOptions {
  /** A PostgreSQL database, used by several processes. */
  readonly kind: 'postgres';
  /** Absolute path of the directory of this process alone; created if it does not exist. */
  readonly dataDir: string;
  readonly searchThreads: number;
  /** Absolute path of the attachments directory, shared by all processes; created if it does not exist. */
  readonly attachmentsDir: string;
  readonly postgres: PostgresOptions;
  readonly blobs: BlobOptions;
  readonly snapshots: ReplicaSnapshotOptions;
  readonly index: IndexOptions;
}

/** Storage engine and its location. */
export type StorageOptions = EmbeddedOptions | SharedOptions;
