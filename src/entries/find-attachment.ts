import type { Attachment } from '../attachments/attachment.js';
import type { AttachmentReader } from '../attachments/attachment-store.port.js';
import { Fault, quoted } from '../kernel/fault.js';
import type { EntryReader } from './entry-store.port.js';
import { isReadable, mayReadAttachment, type Reader } from './readable-entries.js';
import { entryNotFound } from './update-entry.js';

interface From {
  readonly entries: EntryReader;
  readonly attachments: AttachmentReader;
}

/**
 * Returns the attachment with this id, if the reader may read a version of an entry that shows it.
 * @throws Fault missing `attachment.not-found`
 */
export async function getReadableAttachment(from: From, reader: Reader, id: string): Promise<Attachment> {
  const attachment = await from.attachments.find(id);
  if (attachment && (await mayReadAttachment(from, reader, id))) return attachment;
  throw new Fault('missing', 'attachment.not-found', `Attachment ${quoted(id)} not found.`);
}

/**
 * Returns the attachment of the entry with this file name. If an edit removed it, returns the one of the newest version
 * that has it and that the reader may read. If several have this name, returns the first; the others can be fetched by
 * id.
 * @throws Fault missing `entry.not-found`, `attachment.not-found`
 */
export async function findAttachment(
  from: From,
  reader: Reader,
  entryId: number,
  filename: string,
): Promise<Attachment> {
  if (!(await isReadable(from.entries, reader, entryId))) throw entryNotFound(entryId);
  for await (const shown of from.attachments.listShown(entryId, filename)) {
    if (!reader.permissions.mayRead(reader.principal, shown)) continue;
    const attachment = await from.attachments.find(shown.attachmentId);
    if (attachment) return attachment;
  }
  throw new Fault('missing', 'attachment.not-found', `Entry ${entryId} has no attachment named ${quoted(filename)}.`);
}
