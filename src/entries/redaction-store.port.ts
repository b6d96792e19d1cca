import type { Attachment } from '../attachments/attachment.js';
import type { Entry } from './entry.js';
import type { Redaction, StoredRedaction } from './redaction.js';

/** An archived version with the salts of its digest. */
export interface ArchivedEntry {
  readonly revision: number;
  readonly entry: Entry;
  /** Salts of its digest, see entry-digest.ts; empty: no record of the version exists. */
  readonly salts: string;
}

export interface RedactionReader {
  /** Lists redactions after a number, oldest first, at most `limit`. */
  listRedactions(after: number, limit: number): Promise<StoredRedaction[]>;
  /** Lists the checksums of redacted files that are still to be removed, unless another attachment has the file. */
  listFilesToRemove(): Promise<string[]>;
}

export interface RedactionStore extends RedactionReader {
  /**
   * Lists the archived versions of an entry, oldest first, reading one at a time. Omits damaged versions, which no
   * reader can see anyway.
   */
  listVersions(entryId: number): AsyncIterable<ArchivedEntry>;
  /** Replaces an archived version and its salts. The version must exist. */
  replaceVersion(archived: ArchivedEntry): Promise<void>;
  /** Gives an attachment another file. Removes the text of its former file unless another attachment has that file. */
  replaceFile(attachment: Attachment): Promise<void>;
  /** Stores a redaction, with its record in the ledger. */
  insertRedaction(redaction: Redaction): Promise<StoredRedaction>;
  /** @param checksums the complete list */
  putFilesToRemove(checksums: readonly string[]): Promise<void>;
}
