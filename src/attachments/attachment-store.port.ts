import type { Attachment } from './attachment.js';

export interface AttachmentReader {
  /** Returns the attachment with this id, even if an edit removed it from its entry; undefined when there is none. */
  find(id: string): Promise<Attachment | undefined>;
  /** Lists the ids of the entries that have the attachment, or had it before an edit; empty when there is none. */
  listEntriesOf(id: string): Promise<number[]>;
  /** Returns those of the checksums that at least one attachment refers to. */
  referenced(checksums: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lists files of entries whose text is not yet extracted, ordered by checksum, after the given checksum. */
  listUnextracted(afterChecksum: string, limit: number): Promise<UnextractedFile[]>;
}

export interface UnextractedFile {
  readonly checksum: string;
  readonly contentType: string;
  /** How many times extraction has begun. */
  readonly attempts: number;
}

export interface AttachmentStore extends AttachmentReader {
  /**
   * Stores the attachment, for good. From the commit on, its file is referenced and never removed.
   * @throws Fault conflict `attachment.id-taken` when an attachment has this id
   */
  insert(attachment: Attachment): Promise<void>;
  /** Counts an attempt to extract the text of a file. */
  recordAttempt(checksum: string): Promise<void>;
  /** Stores the text of a file, empty when it has none, and makes the entries with the file searchable by it. */
  storeText(checksum: string, text: string): Promise<void>;
}
