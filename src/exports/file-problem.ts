import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import { quoted } from '../kernel/fault.js';

/** Returns a sentence about a file whose content is missing or damaged; undefined for an intact one. */
export async function findFileProblem(blobs: BlobStore, attachment: Attachment): Promise<string | undefined> {
  const condition = await blobs.verify(attachment);
  if (condition === 'intact') return undefined;
  return `The file ${quoted(attachment.filename)} (${attachment.checksum}) is ${condition}.`;
}
