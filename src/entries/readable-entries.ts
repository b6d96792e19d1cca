import type { AttachmentReader } from '../attachments/attachment-store.port.js';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import type { StoredEntry } from './entry-json.js';
import type { EntryReader } from './entry-store.port.js';

/** The user who reads, and the permissions that decide what this user may read. */
export interface Reader {
  readonly permissions: Permissions;
  /** Undefined: not signed in. */
  readonly principal: Principal | undefined;
}

/** Returns the current version of the entry; undefined when there is none or the reader may not read it. */
export async function findReadable(entries: EntryReader, reader: Reader, id: number): Promise<StoredEntry | undefined> {
  const stored = await entries.find(id);
  return stored && mayRead(reader, stored) ? stored : undefined;
}

/** Whether there is an entry that the reader may read. Reads it only when the result depends on the reader. */
export async function isReadable(entries: EntryReader, reader: Reader, id: number): Promise<boolean> {
  if (!reader.permissions.hasReadRestrictions) return (await entries.findSize(id)) !== undefined;
  return (await findReadable(entries, reader, id)) !== undefined;
}

/**
 * Lists the archived versions of a readable entry that the reader may read, newest first: an earlier version may have
 * been in a closed logbook.
 */
export async function* listReadableArchived(
  entries: EntryReader,
  reader: Reader,
  id: number,
): AsyncGenerator<StoredEntry> {
  for await (const version of entries.listArchived(id)) {
    if (mayRead(reader, version)) yield version;
  }
}

/**
 * Returns a version of an entry by its number; undefined when there is none, or it was in a closed logbook. Returns
 * `no entry` to a reader who may not read the current version, whichever version is requested.
 */
export async function findReadableVersion(
  entries: EntryReader,
  reader: Reader,
  id: number,
  number: number,
): Promise<StoredEntry | 'no entry' | undefined> {
  if (!(await isReadable(entries, reader, id))) return 'no entry';
  if (!Number.isSafeInteger(number) || number < 1) return undefined;
  const version = await entries.findVersion(id, number);
  // The store counts versions: after the loss of an earlier one, it finds a later one.
  return version?.entry.version === number && mayRead(reader, version) ? version : undefined;
}

/** True when the reader may read the entry. Decodes it only when the result depends on the reader. */
export function mayRead({ permissions, principal }: Reader, stored: StoredEntry): boolean {
  return !permissions.hasReadRestrictions || permissions.mayRead(principal, stored.entry);
}

/** True when the reader may read an entry that has the attachment, or a version of one that had it before an edit. */
export async function mayReadAttachment(
  from: { readonly entries: EntryReader; readonly attachments: AttachmentReader },
  reader: Reader,
  attachmentId: string,
): Promise<boolean> {
  const { permissions, principal } = reader;
  if (!permissions.hasReadRestrictions) return true;
  let refusedId: number | undefined;
  for await (const version of from.attachments.listShowing(attachmentId)) {
    if (version.entryId === refusedId || !permissions.mayRead(principal, version)) continue;
    if (await findReadable(from.entries, reader, version.entryId)) return true;
    refusedId = version.entryId;
  }
  return false;
}
