import type { Attachment } from './attachment.js';

export interface AttachmentReader {
  /** The attachment of that id, also when no entry shows it any more; undefined when there never was one. */
  find(id: string): Promise<Attachment | undefined>;
  /** The ids of the entries that show it, or showed it before an edit; empty when there never was one. */
  listEntriesOf(id: string): Promise<number[]>;
  /** Which of these checksums some attachment refers to. */
  claimed(checksums: readonly string[]): Promise<ReadonlySet<string>>;
  /** Files of entries whose words nobody has looked for yet, by checksum, those after the given one. */
  listUnextracted(afterChecksum: string, limit: number): Promise<UnextractedFile[]>;
}

export interface UnextractedFile {
  readonly checksum: string;
  readonly contentType: string;
  /** How often it was begun. */
  readonly attempts: number;
}

export interface AttachmentStore extends AttachmentReader {
  /**
   * Registers the attachment and so claims its file, for good.
   * @throws Fault conflict `attachment.id-taken` when an attachment of that id exists.
   */
  claim(attachment: Attachment): Promise<void>;
  /** Puts on record that a file is being read for its words. */
  recordAttempt(checksum: string): Promise<void>;
  /** Keeps the words of a file, empty when it has none; searches find the entries that show it by them. */
  storeText(checksum: string, text: string): Promise<void>;
}
