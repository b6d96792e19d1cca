import { withStoredBlobs } from '../attachments/attach-uploads.js';
import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { DeviceNames } from '../entries/device-names.js';
import type { Clock } from '../kernel/clock.js';
import { derivedId } from '../kernel/derived-id.js';
import { TimeSlice } from '../kernel/time-slice.js';
import { type Applied, applyEntry, type EntryStores } from './apply-entry.js';
import { adapted, type ItemNotes, problem, putNotes } from './import-notes.js';
import type { ImportReport } from './import-report.js';
import type { ImportStorage, ImportTransaction } from './import-storage.js';
import type { ImportedItem } from './import-store.port.js';
import { findIds, reserveLinked, withLinks } from './link-entries.js';
import type { PreparedEntry } from './prepare-entry.js';

interface Deps {
  readonly storage: ImportStorage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly report: ImportReport;
  readonly source: string;
  readonly deviceNames: DeviceNames;
}

/** Results of one transaction. */
interface Stored {
  readonly applied: readonly Applied[];
}

/**
 * Stores entries with their files and earlier versions, and the progress of the import, in one transaction.
 * @param state the progress of the import with these entries
 */
export async function storeBatch(deps: Deps, entries: readonly PreparedEntry[], state: string): Promise<void> {
  const { storage, source, report } = deps;
  const uploads = entries.flatMap(({ files }) =>
    [...files.values()].flatMap((file) => (file.kind === 'fetched' ? [file.upload] : [])),
  );
  const { applied } = await withStoredBlobs(deps, uploads, () =>
    storage.write(async (tx): Promise<Stored> => {
      const stored = await storeEntries(tx, deps, entries);
      await tx.imports.putState(source, state);
      return stored;
    }),
  );
  for (const { outcome } of applied) report.counts[outcome] += 1;
}

async function storeEntries(
  tx: ImportTransaction,
  { source, clock, deviceNames }: Deps,
  entries: readonly PreparedEntry[],
): Promise<Stored> {
  const nowMs = clock.nowMs();
  const keys = listKeys(entries);
  const known = new Map((await tx.imports.listKnown(source, 'entry', keys)).map((item) => [item.key, item]));
  const ids = await findIds(tx.imports, source, keys);
  const reserved: ImportedItem[] = [];
  const applied: Applied[] = [];
  const noted: ItemNotes[] = [];
  const brought = new Map<string, Attachment>();
  const stores = { entries: tx.entries, attachments: tx.attachments, feed: tx.feed };
  const slice = new TimeSlice();
  for (const unlinked of entries) {
    if (slice.isOver) await slice.next();
    const { entry } = unlinked;
    const { key, inReplyTo } = entry;
    reserved.push(...(await reserveLinked(tx, entry, ids)));
    const prepared = { ...unlinked, versions: [...unlinked.versions.slice(0, -1), await withLinks(entry, ids)] };
    const notes = [...prepared.notes];
    const files = await storeFiles(stores, prepared, brought, (text) => notes.push(adapted(text)));
    const parent = inReplyTo === undefined ? undefined : known.get(inReplyTo);
    const inReplyToId = parent && Number(parent.target);
    const how = { nowMs, known: known.get(key), inReplyTo: inReplyToId, reservedId: ids.get(key), deviceNames };
    const result = await applyEntry(stores, prepared, files, how);
    if (result.item) {
      known.set(key, result.item);
      ids.set(key, Number(result.item.target));
    }
    if (result.reason !== undefined) notes.push(problem(result.reason));
    noted.push({ kind: 'entry', key, notes });
    applied.push(result);
  }
  if (slice.isOver) await slice.next();
  const items = applied.flatMap(({ item }) => item ?? []);
  if (items.length > 0) await tx.imports.putItems(source, 'entry', items);
  if (reserved.length > 0) await tx.imports.putItems(source, 'reserved', reserved);
  if (brought.size > 0) {
    const fileItems = [...brought].map(
      ([key, { id, checksum }]): ImportedItem => ({ key, target: id, version: 0, digest: checksum }),
    );
    await tx.imports.putItems(source, 'attachment', fileItems);
  }
  await putNotes(tx, source, noted);
  // The commit runs in a separate turn of the event loop.
  await slice.next();
  return { applied };
}

/** Lists the keys of entries and of those to which they reply or link. */
function listKeys(entries: readonly PreparedEntry[]): string[] {
  const keys = entries.flatMap(({ entry: { key, inReplyTo, links } }) => [
    key,
    ...(inReplyTo === undefined ? [] : [inReplyTo]),
    ...(links?.keys ?? []),
  ]);
  return [...new Set(keys)];
}

const noFiles: ReadonlyMap<string, Attachment> = new Map();

/** Stores the attachments of an entry that are new; returns all of them by their keys. */
async function storeFiles(
  tx: EntryStores,
  { files }: PreparedEntry,
  brought: Map<string, Attachment>,
  remark: (text: string) => void,
): Promise<ReadonlyMap<string, Attachment>> {
  if (files.size === 0) return noFiles;
  const attachments = new Map<string, Attachment>();
  for (const [key, file] of files) {
    const earlier = file.kind === 'known' ? file.attachment : brought.get(key);
    const attachment = earlier ?? (await storeFile(tx, file.attachment, remark));
    attachments.set(key, attachment);
    if (file.kind === 'fetched') brought.set(key, attachment);
  }
  return attachments;
}

/** Stores a file. It gets a new id if another file has its id; a stored file with the same id and content is used. */
async function storeFile(tx: EntryStores, attachment: Attachment, remark: (text: string) => void): Promise<Attachment> {
  const present = await tx.attachments.find(attachment.id);
  if (present?.checksum === attachment.checksum) return present;
  let id = attachment.id;
  if (present) {
    id = derivedId(`${attachment.id} ${attachment.checksum}`);
    remark(`Another file has the attachment id ${attachment.id} here; this one has the id ${id}.`);
    const again = await tx.attachments.find(id);
    if (again) return again;
  }
  const stored = { ...attachment, id };
  await tx.attachments.insert(stored);
  return stored;
}
