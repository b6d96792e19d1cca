import type { StoredRecord } from './ledger-record.js';

/** Part of the tree of the ledger. */
export interface Tile {
  /** 0: the hashes are those of records; otherwise each is the root of a complete tile of the level below. */
  readonly level: number;
  /** The tiles of a level are numbered from 0; each but the last has 256 hashes. */
  readonly position: number;
  /** Sequence number of the last record, for level 0; otherwise 0. */
  readonly lastSequence: number;
  /** Hashes in hexadecimal. */
  readonly hashes: readonly string[];
}

export interface LedgerReader {
  /** Lists at most `limit` records after a sequence number, in order. None appears before one that was listed. */
  listRecordsAfter(sequence: number, limit: number): Promise<StoredRecord[]>;
  findTile(level: number, position: number): Promise<Tile | undefined>;
  /** Returns the tile of level 0 with the newest records; undefined when the ledger is empty. */
  findNewestTile(): Promise<Tile | undefined>;
}

/** The engine appends the records, in the transaction that stores their subjects. */
export interface LedgerStore extends LedgerReader {
  /** Stores a tile, in place of one with fewer hashes. */
  putTile(tile: Tile): Promise<void>;
  /**
   * Appends records for at most `limit` versions of entries that have none, because an earlier version of the program
   * stored them. Returns the number of versions found. When none is left, appends one record that says so. If only this
   * version can write, it finds none from then on.
   */
  recordEarlier(limit: number): Promise<number>;
  /**
   * Stores a checkpoint, see `encodeStoredCheckpoint`.
   * @param number one more than that of the newest one
   * @throws Error when another one has the number
   */
  appendCheckpoint(number: number, document: string): Promise<void>;
}
