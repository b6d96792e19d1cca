import type { EntryCopy, StoredVersion } from '../../entries/entry-copies.port.js';
import type { SearchIndex } from '../search-index.port.js';

/** An entry to be stored in a replica. */
export interface ReplicatedEntry {
  readonly entry: EntryCopy;
  /** The extracted texts of its files that the replica lacks, by checksum. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Which entry writes of the storage a replica contains. */
export interface Followed {
  /** All up to this position; undefined: none. */
  readonly position: string | undefined;
  /** The positions of those that it contains beyond. */
  readonly ahead: readonly string[];
}

/** A copy of all entries on this node, with an index that searches them. It can be built again at any time. */
export interface EntryReplica {
  readonly searchIndex: SearchIndex;
  readonly followed: Followed;
  /** Whether it was found to be damaged. */
  readonly isDamaged: boolean;
  /** Returns the version of an entry; 0 when there is none. */
  versionOf(id: number): number;
  hasText(checksum: string): boolean;
  /** Stores archived versions of an entry, which may be stored already. */
  storeArchived(id: number, versions: readonly StoredVersion[]): void;
  /** Stores entries, and what it contains with them, in one transaction. Searches find them from then on. */
  store(entries: readonly ReplicatedEntry[], followed: Followed): void;
  /** Resolves when everything is closed. */
  close(): Promise<void>;
}

/** Where the replica of this node is. */
export interface ReplicaPlace {
  /** Opens the replica; creates an empty one when there is none, or none that can be used for this storage. */
  open(): Promise<EntryReplica>;
  /** Removes the replica, which must be closed. */
  remove(): void;
}
