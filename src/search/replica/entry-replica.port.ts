import type { CopiedRedaction, EntryCopy, StoredVersion } from '../../entries/entry-copies.port.js';
import type { SearchIndex } from '../search-index.port.js';

export interface ReplicatedEntry {
  readonly entry: EntryCopy;
  /** Extracted texts of its files that the replica does not contain, by checksum. */
  readonly texts: ReadonlyMap<string, string>;
  /** Checksums of texts that the storage no longer has. They are removed with the version that shows them. */
  readonly forgotten: readonly string[];
}

/** The entry writes of the storage that a replica contains. */
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
  /** Absolute paths, for the process that copies the files while they are in use. */
  readonly files: ReplicaFiles;
  readonly followed: Followed;
  /** Whether damage to the replica was detected. */
  readonly isDamaged: boolean;
  /** Returns the revision of an entry; 0 when there is none. */
  revisionOf(id: number): number;
  hasText(checksum: string): boolean;
  /** Number of the newest redaction that the replica has applied; 0: none. */
  readonly redaction: number;
  /** Lists the checksums of all files with a text that stored versions of an entry show. */
  listTextFiles(id: number): readonly string[];
  /**
   * Lists the checksums of the files with a text that the current version in the replica shows, but neither `next` nor
   * an archived version does. A redaction has removed them from every version.
   */
  listUnshownTextFiles(next: EntryCopy): readonly string[];
  /** Records that a redaction was applied, and removes the texts of files. The search index is then rebuilt. */
  storeRedaction(redaction: CopiedRedaction, forgotten: readonly string[]): void;
  /** Stores archived versions of an entry. They may already be stored. */
  storeArchived(id: number, versions: readonly StoredVersion[]): void;
  /** Stores entries and the new state of `followed` in one transaction. Searches find the entries immediately. */
  store(entries: readonly ReplicatedEntry[], followed: Followed): void;
  /** Resolves when everything is closed. */
  close(): Promise<void>;
}

/** Opens and removes the replica of this node. */
export interface ReplicaOpener {
  /** Whether a replica exists, usable or not. */
  readonly isPresent: boolean;
  /**
   * Opens the replica. If none exists that can be used for this storage, it starts from a snapshot of another node,
   * which may take minutes, or else empty.
   * @throws the reason of `signal` when it aborts before the replica is open
   */
  open(signal: AbortSignal): Promise<EntryReplica>;
  /** Removes the replica, which must be closed. */
  remove(): void;
}
