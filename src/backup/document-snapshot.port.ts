import type { LedgerReader } from '../ledger/ledger-store.port.js';
import type { BackupTable, Row } from './backup-tables.js';
import type { DataFinding } from './data-finding.js';

/** The content of a logbook without its files, as it was at one moment. Writers are not blocked. */
export interface DocumentSnapshot {
  readonly storeId: string;
  /** The name of the engine, such as `sqlite`. */
  readonly engine: string;
  /** Highest id that any entry has or had. */
  readonly highestEntryId: number;
  /** The newest position in the change feed; 0 when there is none. */
  readonly feedPosition: number;
  /** Reads all rows of a table, in the order of its key, in batches. */
  rows(table: BackupTable): AsyncIterable<readonly Row[]>;
  /** Reads the ids of all entries in the order of their last writes, in batches. */
  idsInWriteOrder(): AsyncIterable<readonly number[]>;
  /**
   * Reads the lowest number that the next row can get, by table and column, such as `entry.id`; 0 if the engine lost
   * it. Omits columns in which the engine gives the next row one more than the highest number.
   */
  nextNumbers(): Promise<Readonly<Record<string, number>>>;
  /** Returns the row with this key; undefined when there is none. */
  find(table: BackupTable, key: Row): Promise<Row | undefined>;
  readonly ledger: LedgerReader;
  /**
   * Compares the definitions of all objects of the database, such as tables and triggers, with those of the program.
   */
  checkSchema(): Promise<readonly DataFinding[]>;
  close(): Promise<void>;
}

/**
 * Gap above the known positions in the change feed after a restore: more than the changes between a backup and its
 * restore.
 */
export const feedGap = 1_000_000_000;

/** Numbers above which a restored logbook continues. */
export interface RestoredNumbers {
  /** New entries get ids above this one. */
  readonly highestEntryId: number;
  /** The highest position in the change feed that is known to have been assigned. */
  readonly feedPosition: number;
  /** Time since `feedPosition` was known, in which further positions may have been assigned. */
  readonly elapsedMs: number;
}

/** Receives the documents of a logbook in an empty storage. Services cannot use them before `complete`. */
export interface DocumentRestore {
  /** Adds rows. The rows to which they refer must have been added before. */
  insert(table: BackupTable, rows: readonly Row[]): Promise<void>;
  /**
   * Makes the documents durable. Services still cannot use them until the mark of the restore is removed. Positions in
   * the change feed continue above all assigned ones.
   */
  complete(numbers: RestoredNumbers): Promise<void>;
  /** Closes the storage, and leaves the added rows unusable unless `complete` was called. */
  close(): Promise<void>;
}
