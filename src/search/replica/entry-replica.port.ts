import type { CopiedRedaction, EntryCopy, StoredVersion } from '../../entries/entry-copies.port.js';
import type { SearchIndex } from '../search-index.port.js';

export interface ReplicatedEntry {
  readonly entry: EntryCopy;
  /** The extracted texts of its files that the replica lacks, by checksum. */
  readonly texts: ReadonlyMap<string, string>;
  /** Checksums of texts that the storage no longer has. They are removed with the version that shows them. */
  readonly forgotten: readonly string[];
}

/** Which entry writes of the storage a replica contains. */
export interface Followed {
  /** The replica contains every write up to this position; undefined: no write. */
  readonly position: string | undefined;
  /** Positions of later writes that it also contains. */
  readonly ahead: readonly string[];
}

export interface ReplicaFiles {
  readonly entries: string;
  readonly index: string;
}

/** A copy of all entries on this node, with an index that searches them. It can be rebuilt at any time. */
export interface EntryReplica {
  readonly searchIndex: SearchIndex;
  /** Absolute paths, for the process that copies them while they are in use. */
  readonly files: ReplicaFiles;
  readonly followed: Followed;
  /** Whether it was found to be damaged. */
  readonly isDamaged: boolean;
  /** Returns the revision of an entry; 0 when there is none. */
  revisionOf(id: number): number;
  hasText(checksum: string): boolean;
  /** The number of the newest redaction that it has followed; 0: none. */
  readonly redaction: number;
  /** Lists the checksums of all files with a text that stored versions of an entry show. */
  listTextFiles(id: number): readonly string[];
  /**
   * Lists the checksums of the files with a text that only the current version shows, not `next` or the archive. A
   * redaction has removed them from every version.
   */
  listUnshownTextFiles(next: EntryCopy): readonly string[];
  /** Records that a redaction was followed, and forgets the texts of files. The search index is rebuilt after it. */
  storeRedaction(redaction: CopiedRedaction, forgotten: readonly string[]): void;
  /** Stores archived versions of an entry, which may be stored already. */
  storeArchived(id: number, versions: readonly StoredVersion[]): void;
  /** Stores entries, and what it contains with them, in one transaction. Searches find them from then on. */
  store(entries: readonly ReplicatedEntry[], followed: Followed): void;
  /** Resolves when everything is closed. */
  close(): Promise<void>;
}

/** Opens and removes the replica of this node. */
export interface ReplicaOpener {
  /** Whether a replica exists, usable or not. */
  readonly isPresent: boolean;
  /**
   * Opens the replica. When there is none, or none that can be used for this storage, it begins with a snapshot that
   * another node has made, which may take minutes, or else empty.
   * @throws the reason of `signal` when it aborts before
   */
  open(signal: AbortSignal): Promise<EntryReplica>;
  /** Removes the replica, which must be closed. */
  remove(): void;
}
