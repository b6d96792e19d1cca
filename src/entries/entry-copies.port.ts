export interface StoredVersion {
  readonly revision: number;
  /** The entry as JSON. */
  readonly document: string;
  /** The checksum that is stored with the document; null when none is. */
  readonly crc: number | null;
}

/** The current version of an entry, with the data stored with it. */
export interface EntryCopy extends StoredVersion {
  readonly id: number;
  readonly createdMs: number;
  readonly owner: string;
  /** The entry that it replies to; null when it is not a reply. */
  readonly inReplyTo: number | null;
}

/** A redaction, after which a replica must replace its earlier copies of the entry. */
export interface CopiedRedaction {
  readonly number: number;
  readonly entryId: number;
}

/** Reads entries as they are stored, for a replica, without verifying their documents. */
export interface EntryCopyReader {
  /**
   * Returns the current versions of entries in the order of `ids`: always the first one, then more as long as all
   * together have at most `maxBytes`. Omits entries that are not stored.
   */
  listCurrent(ids: readonly number[], maxBytes: number): Promise<EntryCopy[]>;
  /**
   * Lists the archived versions of an entry with a revision from `from` to below `below`, oldest first, at most
   * `limit`.
   */
  listArchived(id: number, from: number, below: number, limit: number): Promise<StoredVersion[]>;
  /** Returns the searchable part of the extracted text of a file; undefined when no text is stored. */
  findText(checksum: string): Promise<string | undefined>;
  /** Lists redactions after a number, oldest first, at most `limit`. */
  listRedactions(after: number, limit: number): Promise<CopiedRedaction[]>;
}
