import type { Attachment } from './attachment.js';
import type { BlobReference } from './blob-store.port.js';

export interface AttachmentReader {
  /** Returns the attachment with this id, even if an edit removed it from its entry; undefined when there is none. */
  find(id: string): Promise<Attachment | undefined>;
  /**
   * Lists the attachments with this file name that a version of the entry shows: those of the newest version first, in
   * its order. An attachment that was in several sets of logbooks is listed once for each set. Reads no entry, and lets
   * other work run in between. Empty when there is none.
   */
  listShown(entryId: number, filename: string): AsyncIterable<ShownAttachment>;
  /**
   * Lists the entries with a version that shows the attachment, ordered by id, once for each set of logbooks of such
   * versions. Reads no entry, and lets other work run in between. Empty when there is none.
   */
  listShowing(attachmentId: string): AsyncIterable<ShowingEntry>;
  /** Returns the checksums that an attachment or a draft refers to, including parts of incomplete files of drafts. */
  referenced(checksums: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lists the lowest ids of entries that show a file, or did before an edit, in order, at most `limit`. */
  listEntriesOfFile(checksum: string, limit: number): Promise<number[]>;
  /** Lists all files that attachments refer to, ordered by checksum, after the given checksum. */
  listFiles(afterChecksum: string, limit: number): Promise<BlobReference[]>;
  /** Lists files in this state that were seen unreferenced for at least `observedMs`. */
  listUnreferenced(state: UnreferencedState, observedMs: number, limit: number): Promise<string[]>;
  /** Returns the progress of verifying all files; undefined before the first. */
  findVerification(): Promise<VerificationProgress | undefined>;
  /** Lists files of entries whose text is not yet extracted, ordered by checksum, after the given checksum. */
  listUnextracted(afterChecksum: string, limit: number): Promise<UnextractedFile[]>;
}

/** Location of an unreferenced file. */
export type UnreferencedState = 'stored' | 'quarantined';

/** The progress of verifying all files, one after the other. */
export interface VerificationProgress {
  /** The last checksum that was verified in the current pass; empty at its beginning. */
  readonly afterChecksum: string;
  /** End of the last complete pass, in milliseconds since the epoch; undefined before the first. */
  readonly completedMs?: number;
}

/** The logbooks of a version of an entry. */
interface InLogbooks {
  readonly logbooks: readonly { readonly name: string }[];
}

export interface ShownAttachment extends InLogbooks {
  readonly attachmentId: string;
}

export interface ShowingEntry extends InLogbooks {
  readonly entryId: number;
}

export interface UnextractedFile {
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** Number of attempts to extract the text. */
  readonly attempts: number;
}

/**
 * State of the extracted text of a file. `queued`: the file waits for extraction; `damaged`: it waits, but no record
 * shows to which entries it belongs; `none`: there is no text, and none will be extracted.
 */
export type TextState = 'intact' | 'queued' | 'damaged' | 'none';

export interface AttachmentStore extends AttachmentReader {
  /**
   * Stores the attachment permanently. After the commit, its file is referenced; only a redaction removes it.
   * @throws Fault conflict `attachment.id-taken` when an attachment has this id
   */
  insert(attachment: Attachment): Promise<void>;
  /** Counts an attempt to extract the text of a file. */
  recordAttempt(checksum: string): Promise<void>;
  /**
   * Stores the text of a file, which may be empty, and makes the entries with the file searchable by it. No effect if
   * the file no longer waits for extraction.
   */
  storeText(checksum: string, text: string): Promise<void>;
  /**
   * Records the reason why the text of a file cannot be extracted. No effect if the file no longer waits for
   * extraction.
   */
  markUnreadable(checksum: string, reason: string): Promise<void>;
  /**
   * Removes the text of a file if it is damaged, and queues the file for a new extraction, so that its entries become
   * searchable by it again. Returns the new state of the text.
   */
  renewText(checksum: string): Promise<TextState>;
  /**
   * Adds to the time for which these files were seen unreferenced. The time starts at 0 for a file that is new or was
   * in the other state.
   */
  observeUnreferenced(checksums: readonly string[], state: UnreferencedState, elapsedMs: number): Promise<void>;
  /** Removes the recorded times of these files. */
  forgetUnreferenced(checksums: readonly string[]): Promise<void>;
  storeVerification(progress: VerificationProgress): Promise<void>;
}
