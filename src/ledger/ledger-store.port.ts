import type { StoredRecord } from './ledger-record.js';

/** Part of the tree of the ledger. */
export interface Tile {
  /** Level 0 has the hashes of records; on the others, each hash is the root of a complete tile of the level below. */
  readonly level: number;
  /** The tiles of a level are numbered from 0; each but the last has 256 hashes. */
  readonly position: number;
  /** Sequence number of the last record, for level 0; otherwise 0. */
  readonly lastSequence: number;
  /** Hashes in hexadecimal. */
  readonly hashes: readonly string[];
}

export interface LedgerReader {
  /**
   * Lists at most `limit` records after a sequence number, in order. A record never appears before one that was already
   * listed.
   */
  listRecordsAfter(sequence: number, limit: number): Promise<StoredRecord[]>;
  findTile(level: number, position: number): Promise<Tile | undefined>;
  /** Returns the tile of level 0 with the newest records; undefined when the ledger is empty. */
  findNewestTile(): Promise<Tile | undefined>;
}

/** Writes tiles and checkpoints. The engine itself appends a record in the transaction that stores its subject. */
export interface LedgerStore extends LedgerReader {
  /** Stores a tile, which may replace one with fewer hashes. */
  putTile(tile: Tile): Promise<void>;
  /**
   * Appends records for at most `limit` versions of entries that have none, because an earlier version of the program
   * stored them. Returns the number of versions found. When none is left, appends one record that says so. If no
   * earlier version of the program can write, later calls find none.
   */
  recordEarlier(limit: number): Promise<number>;
  /**
   * Stores a checkpoint, see `encodeStoredCheckpoint`.
   * @param number the number of the newest checkpoint plus one
   * @throws Error when another checkpoint has the number
   */
  appendCheckpoint(number: number, document: string): Promise<void>;
}
