import type { AttachmentReader } from '../attachments/attachment-store.port.js';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import type { StoredEntry } from './entry-json.js';
import type { EntryReader } from './entry-store.port.js';

/** Who reads, and what is there for them. */
export interface Reader {
  readonly permissions: Permissions;
  readonly principal: Principal | undefined;
}

/** The entry as it stands, if it is there for the reader. */
export async function findReadable(entries: EntryReader, reader: Reader, id: number): Promise<StoredEntry | undefined> {
  const stored = await entries.find(id);
  return stored && mayRead(reader, stored) ? stored : undefined;
}

/** Of an entry that is there for the reader, the earlier versions that are, too: it may have been filed elsewhere. */
export async function* listReadableArchived(
  entries: EntryReader,
  reader: Reader,
  id: number,
): AsyncGenerator<StoredEntry> {
  for await (const version of entries.listArchived(id)) {
    if (mayRead(reader, version)) yield version;
  }
}

/** Decodes the entry only where what may be read depends on the reader. */
export function mayRead({ permissions, principal }: Reader, stored: StoredEntry): boolean {
  return !permissions.hasReadRestrictions || permissions.mayRead(principal, stored.entry);
}

/** Whether some entry that is there for the reader shows the attachment, or showed it before an edit. */
export async function mayReadAttachment(
  from: { readonly entries: EntryReader; readonly attachments: AttachmentReader },
  reader: Reader,
  attachmentId: string,
): Promise<boolean> {
  if (!reader.permissions.hasReadRestrictions) return true;
  for (const id of await from.attachments.listEntriesOf(attachmentId)) {
    const entry = await findReadable(from.entries, reader, id);
    if (!entry) continue;
    const shows = ({ entry: { attachments } }: StoredEntry) => attachments.some((shown) => shown.id === attachmentId);
    if (shows(entry)) return true;
    for await (const version of listReadableArchived(from.entries, reader, id)) if (shows(version)) return true;
  }
  return false;
}
