import type { EntryCopy, StoredVersion } from '../../entries/entry-copies.port.js';
import type { SearchIndex } from '../search-index.port.js';

/** An entry to be stored in a replica. */
export interface ReplicatedEntry {
  readonly entry: EntryCopy;
  /** The extracted texts of its files that the replica lacks, by checksum. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A copy of all entries on this node, with an index that searches them. It can be built again at any time. */
export interface EntryReplica {
  readonly searchIndex: SearchIndex;
  /** Up to where it has followed the entry writes of the storage; undefined: it is empty. */
  readonly position: string | undefined;
  /** Whether it was found to be damaged. */
  readonly isDamaged: boolean;
  /** Returns the version of an entry; 0 when there is none. */
  versionOf(id: number): number;
  hasText(checksum: string): boolean;
  /** Stores archived versions of an entry, which may be stored already. */
  storeArchived(id: number, versions: readonly StoredVersion[]): void;
  /** Stores entries, with the position of the last of them, in one transaction. Searches find them from then on. */
  store(entries: readonly ReplicatedEntry[], position: string): void;
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
