import type { Attachment } from './attachment.js';

export interface AttachmentReader {
  /** The attachment of that id, also when no entry shows it any more; undefined when there never was one. */
  find(id: string): Promise<Attachment | undefined>;
  /** Which of these checksums some attachment refers to. */
  claimed(checksums: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface AttachmentStore extends AttachmentReader {
  /**
   * Registers the attachment and so claims its file, for good.
   * @throws Fault conflict `attachment.id-taken` when an attachment of that id exists.
   */
  claim(attachment: Attachment): Promise<void>;
}
