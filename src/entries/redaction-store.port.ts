import type { Attachment } from '../attachments/attachment.js';
import type { Entry } from './entry.js';
import type { Redaction, StoredRedaction } from './redaction.js';

/** An archived version with what its digest needs. */
export interface ArchivedEntry {
  readonly revision: number;
  readonly entry: Entry;
  /** See entry-digest.ts; empty: no record of it exists. */
  readonly salts: string;
}

export interface RedactionReader {
  /** Lists redactions after a number, oldest first, at most `limit`. */
  listRedactions(after: number, limit: number): Promise<StoredRedaction[]>;
  /** Lists the checksums of files that redactions have left without a reference, and that are still to be removed. */
  listFilesToRemove(): Promise<string[]>;
}

export interface RedactionStore extends RedactionReader {
  /**
   * Lists the archived versions of an entry, oldest first, reading one at a time. A damaged one is left out: it shows
   * nothing anyway.
   */
  listVersions(entryId: number): AsyncIterable<ArchivedEntry>;
  /** Replaces what is stored of an archived version, which must exist. */
  replaceVersion(archived: ArchivedEntry): Promise<void>;
  /** Gives an attachment another file; forgets the text of the file that it had, unless another attachment has it. */
  replaceFile(attachment: Attachment): Promise<void>;
  /** Stores a redaction, with its record in the ledger. */
  insertRedaction(redaction: Redaction): Promise<StoredRedaction>;
  /** @param checksums the complete list */
  putFilesToRemove(checksums: readonly string[]): Promise<void>;
}
