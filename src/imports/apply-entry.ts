import type { Attachment } from '../attachments/attachment.js';
import { type AddedData, addedDataOf, withAddedData, withoutAddedData } from '../entries/added-data.js';
import type { DeviceNames } from '../entries/device-names.js';
import { type Entry, groupIdOf, isClosed, withoutGroup } from '../entries/entry.js';
import type { StoredEntry } from '../entries/entry-json.js';
import { Fault } from '../kernel/fault.js';
import { attachmentKeys, contentOf, digestOf } from './entry-content.js';
import type { ImportedEntry, ImportedVersion } from './import-source.port.js';
import type { ImportTransaction } from './import-storage.js';
import type { ImportedItem } from './import-store.port.js';
import type { PreparedEntry } from './prepare-entry.js';

/** Result of applying an entry of the source. */
export interface Applied {
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'refused';
  /** Record to store for the entry; undefined: none. */
  readonly item?: ImportedItem;
  /** Reason of a refusal. */
  readonly reason?: string;
}

interface How {
  readonly nowMs: number;
  /** Record of the entry from an earlier run; undefined: the entry is new. */
  readonly known: ImportedItem | undefined;
  /** Local id of the entry that it replies to. */
  readonly inReplyTo: number | undefined;
  /** Id that is reserved for the entry; undefined: none. */
  readonly reservedId: number | undefined;
  readonly deviceNames: DeviceNames;
}

/** The stores for writing entries, taken from the transaction once for many entries. */
export type EntryStores = Pick<ImportTransaction, 'entries' | 'attachments' | 'feed'>;

/** Maximum id of an imported entry, because a search index reserves space for each id up to the highest one. */
export const maxEntryId = 100_000_000;

/** Stores a new entry, or the changes of an entry that was imported before. */
export function applyEntry(
  tx: EntryStores,
  prepared: PreparedEntry,
  files: ReadonlyMap<string, Attachment>,
  how: How,
): Promise<Applied> {
  const { entry, versions } = prepared;
  const drafts = versions.map((version) => toDraft(entry.key, version, files, how.deviceNames));
  const { known } = how;
  return known ? updateEntry(tx, prepared, drafts, { ...how, known }) : createEntry(tx, prepared, drafts, how);
}

type Draft = Omit<Entry, 'id' | 'version'>;

function toDraft(
  entryKey: string,
  version: ImportedVersion,
  files: ReadonlyMap<string, Attachment>,
  deviceNames: DeviceNames,
): Draft {
  const devices = deviceNames.findIn(version);
  if (version.attachments.length === 0) return { ...version, attachments: [], devices };
  const keys = attachmentKeys(entryKey, version);
  const attachments = version.attachments.flatMap(({ fileMetadataDescription }, at): Attachment[] => {
    const file = files.get(keys[at] as string);
    if (!file) return [];
    return [{ ...file, fileMetadataDescription: fileMetadataDescription ?? file.fileMetadataDescription }];
  });
  return { ...version, attachments, devices };
}

async function createEntry(
  tx: EntryStores,
  { entry: { key, id }, digest }: PreparedEntry,
  drafts: readonly Draft[],
  { nowMs, inReplyTo, reservedId }: How,
): Promise<Applied> {
  const [first, ...later] = drafts as [Draft, ...Draft[]];
  const createdDate = (drafts.at(-1) ?? first).createdDate;
  if (id !== undefined && (id < 0 || id > maxEntryId)) {
    return { outcome: 'refused', reason: `The id ${id} cannot be kept. Only ids from 0 to ${maxEntryId} can.` };
  }
  const draft = { ...first, createdDate };
  let stored = await insertFirst(tx, id ?? reservedId, draft, inReplyTo);
  // Another import has taken the reserved id.
  if (!stored && id === undefined) stored = await insertFirst(tx, undefined, draft, inReplyTo);
  if (!stored) {
    return {
      outcome: 'refused',
      reason: `An entry with the id ${id} is stored here that is not from this source; it was not replaced.`,
    };
  }
  for (const next of later) stored = await tx.entries.edit({ ...next, createdDate, id: stored.id, version: 0 });
  const { id: entryId, revision } = stored;
  await tx.feed.append({ kind: 'created', entryId, revision, notify: false, atMs: nowMs });
  return { outcome: 'created', item: { key, target: String(entryId), version: revision, digest } };
}

/** Stores a new entry; returns undefined when another entry has the id. */
async function insertFirst(
  { entries }: EntryStores,
  id: number | undefined,
  draft: Draft,
  inReplyTo: number | undefined,
): Promise<StoredEntry | undefined> {
  if (id === undefined) return entries.insert(draft, { inReplyTo });
  try {
    return await entries.insertGiven({ ...draft, id }, { inReplyTo });
  } catch (error) {
    if (error instanceof Fault && error.code === 'entry.id-taken') return undefined;
    throw error;
  }
}

async function updateEntry(
  tx: EntryStores,
  { entry: entryAtSource, digest }: PreparedEntry,
  drafts: readonly Draft[],
  { nowMs, known }: How & { readonly known: ImportedItem },
): Promise<Applied> {
  const stored = await tx.entries.find(Number(known.target));
  if (!stored) throw new Error(`entry ${known.target}, which an import has brought, is not stored`);
  const { id, entry } = stored;
  // The date of creation never changes.
  const versions = drafts.map((draft) => ({ ...draft, id, createdDate: entry.createdDate, version: 0 }));
  const current = versions.at(-1) as Entry;
  const added = addedDataOf(entry, current);
  const imported = withoutAddedData(entry, added);
  const isSame = contentOf(current) === contentOf(imported);
  const isChangedHere =
    stored.revision !== known.version &&
    !versions.some((version) => contentOf(version) === contentOf(imported) || withBlocksOf(version, imported)) &&
    !isAsImported(imported, { current, entryAtSource, known });
  if (!isSame && isChangedHere) {
    return {
      outcome: 'refused',
      reason: `Entry ${id} was changed both here and at the source since the last import; it was left as it is here.`,
    };
  }
  const latest = await appendVersions(tx, stored, versions, {
    isSame,
    isIncomplete: known.digest === '',
    added,
  });
  if (latest.revision !== stored.revision) {
    const change = { kind: 'edited', entryId: id, revision: latest.revision, notify: false, atMs: nowMs } as const;
    await tx.feed.append(change);
  }
  const item = { key: entryAtSource.key, target: known.target, version: latest.revision, digest };
  return { outcome: latest.revision === stored.revision ? 'unchanged' : 'updated', item };
}

/**
 * Whether the stored entry has the files of the source and, by its digest, the content of the last import. The digest
 * is needed because some sources keep no earlier version to compare with.
 */
function isAsImported(
  { attachments, ...entry }: Entry,
  last: { readonly current: Entry; readonly entryAtSource: ImportedEntry; readonly known: ImportedItem },
): boolean {
  const { current, entryAtSource, known } = last;
  if (JSON.stringify(attachments) !== JSON.stringify(current.attachments)) return false;
  const version = { ...entry, attachments: entryAtSource.current.attachments };
  return known.digest === digestOf({ ...entryAtSource, current: version });
}

/**
 * Stores the versions that the source has archived in the meantime, and its current version, one after the other. No
 * stored version is lost.
 * @param how isIncomplete: whether an earlier run could not read everything of the entry; added: data that this logbook
 *   has added, which is kept
 */
async function appendVersions(
  tx: EntryStores,
  stored: StoredEntry,
  versions: readonly Entry[],
  how: {
    readonly isSame: boolean;
    readonly isIncomplete: boolean;
    readonly added: AddedData;
  },
): Promise<StoredEntry> {
  const { isSame, isIncomplete, added } = how;
  if (isSame && !isIncomplete) return stored;
  const present = new Set<string>();
  for await (const { entry } of tx.entries.listArchived(stored.id))
    present.add(contentOf(withoutAddedData(entry, added)));
  const missing = versions.slice(0, -1).filter((version) => !present.has(contentOf(version)));
  if (isSame && missing.length === 0) return stored;
  let latest = stored;
  for (const version of [...missing, versions.at(-1) as Entry]) {
    const before = withoutAddedData(latest.entry, added);
    if (contentOf(version) === contentOf(before)) continue;
    const grown = withBlocksOf(version, before);
    const next = withAddedData(grown ?? version, added);
    const isAnnotation = grown !== undefined || onlyAddsGroup(before, version);
    latest = isAnnotation ? await tx.entries.annotate(next, latest) : await tx.entries.edit(next);
  }
  return latest;
}

/** Whether a version only adds the group, which is not an edit and archives nothing. */
function onlyAddsGroup(before: Entry, after: Entry): boolean {
  if (groupIdOf(before) !== undefined || groupIdOf(after) === undefined) return false;
  const withoutGroups = (entry: Entry) => contentOf({ ...entry, properties: withoutGroup(entry.properties) });
  return withoutGroups(before) === withoutGroups(after);
}

/**
 * Returns the stored run with the blocks that were appended at the source, to be stored as an annotation; undefined
 * when anything else has changed. The stored run may be abandoned, because nothing was appended here between two
 * imports.
 */
function withBlocksOf(after: Entry, before: Entry): Entry | undefined {
  if (!before.run || !after.run || isClosed(before.run) || isClosed(after.run)) return undefined;
  const { source, description, devices, run } = after;
  if (!source.startsWith(before.source) || !description.startsWith(before.description)) return undefined;
  const attachments = [...before.attachments, ...after.attachments.slice(before.attachments.length)];
  const grown = { ...before, source, description, attachments, devices, run };
  return contentOf(grown) === contentOf(after) ? grown : undefined;
}
