import type { PostgresOptions } from './postgres/postgres-options.js';

export interface EmbeddedOptions {
  /** SQLite and files in a directory, used by this process alone. */
  readonly kind: 'embedded';
  /** Absolute path; created if it does not exist. */
  readonly dataDir: string;
  readonly searchThreads: number;
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
}

/** Which engine stores the data, and where. */
export type StorageOptions = EmbeddedOptions | SharedOptions;
