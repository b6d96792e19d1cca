import type { Attachment } from '../attachments/attachment.js';
import { Fault, quoted } from '../kernel/fault.js';
import type { EntryReader } from './entry-store.port.js';
import { findReadable, listReadableArchived, type Reader } from './readable-entries.js';
import { entryNotFound } from './update-entry.js';

/**
 * Returns the attachment of the entry with this file name or, when an edit removed it, the newest archived one. When
 * several have the name, the first: the others can be fetched by id.
 * @throws Fault missing `entry.not-found`, `attachment.not-found`
 */
export async function findAttachment(
  entries: EntryReader,
  reader: Reader,
  entryId: number,
  filename: string,
): Promise<Attachment> {
  const stored = await findReadable(entries, reader, entryId);
  if (!stored) throw entryNotFound(entryId);
  const named = (attachment: Attachment) => attachment.filename === filename;
  const present = stored.entry.attachments.find(named);
  if (present) return present;
  for await (const earlier of listReadableArchived(entries, reader, entryId)) {
    const removed = earlier.entry.attachments.find(named);
    if (removed) return removed;
  }
  throw new Fault('missing', 'attachment.not-found', `Entry ${entryId} has no attachment named ${quoted(filename)}.`);
}
