import type { LedgerReader } from '../ledger/ledger-store.port.js';
import type { BackupTable, Row } from './backup-tables.js';
import type { DataFinding } from './data-finding.js';

/** Everything that a logbook stores except its files, as it was at one moment. Writers continue concurrently. */
export interface DocumentSnapshot {
  readonly storeId: string;
  /** The name of the engine, such as `sqlite`. */
  readonly engine: string;
  /** No entry has, or had, an id above this one. */
  readonly highestEntryId: number;
  /** The newest position in the change feed; 0 when there is none. */
  readonly feedPosition: number;
  /** Reads all rows of a table, in the order of its key, in batches. */
  rows(table: BackupTable): AsyncIterable<readonly Row[]>;
  /** Reads the ids of all entries in the order of their last writes, in batches. */
  idsInWriteOrder(): AsyncIterable<readonly number[]>;
  /**
   * Reads the least number that the next row gets, by table and column, such as `entry.id`; 0 where the number that it
   * continues from is missing. Columns that an engine numbers after the highest row are left out.
   */
  nextNumbers(): Promise<Readonly<Record<string, number>>>;
  /** Returns the row with this key; undefined when there is none. */
  find(table: BackupTable, key: Row): Promise<Row | undefined>;
  readonly ledger: LedgerReader;
  /** Compares the definitions of tables, triggers and other objects of the database with those that the program makes. */
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
  /** The highest position in the change feed that is known to have been given. */
  readonly feedPosition: number;
  /** Time since then: the longer it is, the more positions may have been given. */
  readonly elapsedMs: number;
}

/** Receives the documents of a logbook in an empty storage. No service uses them before `complete`. */
export interface DocumentRestore {
  /** Adds rows; those that they refer to were added before. */
  insert(table: BackupTable, rows: readonly Row[]): Promise<void>;
  /**
   * Makes the documents durable; a mark keeps services from them until it is removed. Positions in the change feed
   * continue above all assigned ones.
   */
  complete(numbers: RestoredNumbers): Promise<void>;
  /** Leaves what was added unusable. No effect after `complete`. */
  close(): Promise<void>;
}
