import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Draft } from './draft.ts';
import { journaledDrafts, readJournal, removeFromJournal, writeJournal } from './journal.ts';

/** Part of the name of the file's record: of which draft and which file. */
type FileKey = [draftId: string, fileId: string];

interface Schema extends DBSchema {
  drafts: { key: string; value: Draft };
  files: { key: FileKey; value: Blob };
}

let opened: Promise<IDBPDatabase<Schema> | undefined> | undefined;

/** The database of this browser; undefined where the browser has switched it off. */
function database(): Promise<IDBPDatabase<Schema> | undefined> {
  opened ??= openDB<Schema>('logbook', 1, {
    upgrade: (db) => {
      db.createObjectStore('drafts', { keyPath: 'id' });
      db.createObjectStore('files');
    },
    terminated: () => {
      opened = undefined;
    },
  }).catch(() => undefined);
  return opened;
}

/** Bytes of files, where there is no database: they last as long as the page. */
const heldFiles = new Map<string, Blob>();

/** Returns the draft as this browser has it: the journal may be newer than the database when a page ended suddenly. */
export async function findDraft(id: string): Promise<Draft | undefined> {
  const stored = await (await database())?.get('drafts', id);
  return newer(stored, readJournal(id));
}

export async function listDrafts(): Promise<Draft[]> {
  const stored = (await (await database())?.getAll('drafts')) ?? [];
  const all = new Map(stored.map((draft) => [draft.id, draft]));
  for (const draft of journaledDrafts()) {
    const newest = newer(all.get(draft.id), draft);
    if (newest) all.set(draft.id, newest);
  }
  return [...all.values()].sort((one, other) => other.modifiedMs - one.modifiedMs);
}

function newer(stored: Draft | undefined, journaled: Draft | undefined): Draft | undefined {
  if (!stored || !journaled) return stored ?? journaled;
  return journaled.modifiedMs > stored.modifiedMs ? journaled : stored;
}

/** Another tab has stored something else since the revision that the caller knew. */
export class DraftChangedElsewhere extends Error {
  override readonly name = 'DraftChangedElsewhere';

  constructor(readonly current: Draft) {
    super('The draft has changed in another tab.');
  }
}

/**
 * Stores the draft on the disk.
 * @param knownRevision of the content that the caller replaces; undefined: whatever there is
 * @throws DraftChangedElsewhere and stores nothing
 */
export async function storeDraft(draft: Draft, knownRevision?: string): Promise<void> {
  const db = await database();
  if (!db) {
    writeJournal(draft);
    return;
  }
  const transaction = db.transaction('drafts', 'readwrite', { durability: 'strict' });
  const current = await transaction.store.get(draft.id);
  const isKnown =
    knownRevision === undefined || [knownRevision, draft.revision].includes(current?.revision ?? knownRevision);
  const isTaken = current?.submission !== undefined || current?.discardedMs !== undefined;
  if (current && (!isKnown || isTaken)) throw new DraftChangedElsewhere(current);
  await transaction.store.put(draft);
  await transaction.done;
  removeFromJournal(draft.id, draft.modifiedMs);
}

/**
 * Changes what is stored, in one step that no other tab gets between. Undefined from `change`: nothing is stored.
 * @returns what was stored; undefined when there is no such draft, or nothing was changed
 */
export async function changeStored(
  id: string,
  change: (draft: Draft) => Draft | undefined,
): Promise<Draft | undefined> {
  const db = await database();
  if (!db) {
    const current = readJournal(id);
    const changed = current && change(current);
    if (changed) writeJournal(changed);
    return changed;
  }
  const transaction = db.transaction('drafts', 'readwrite', { durability: 'strict' });
  const current = newer(await transaction.store.get(id), readJournal(id));
  const changed = current && change(current);
  if (changed) await transaction.store.put(changed);
  await transaction.done;
  return changed;
}

/** Removes the draft with its files. */
export async function removeDraft(id: string): Promise<void> {
  removeFromJournal(id);
  const db = await database();
  if (!db) return;
  const transaction = db.transaction(['drafts', 'files'], 'readwrite', { durability: 'strict' });
  await transaction.objectStore('drafts').delete(id);
  await transaction.objectStore('files').delete(IDBKeyRange.bound([id], [id, []]));
  await transaction.done;
}

export async function storeFile(draftId: string, fileId: string, bytes: Blob): Promise<void> {
  const db = await database();
  if (db) await db.put('files', bytes, [draftId, fileId]);
  else heldFiles.set(`${draftId}/${fileId}`, bytes);
}

export async function findFile(draftId: string, fileId: string): Promise<Blob | undefined> {
  const db = await database();
  return db ? db.get('files', [draftId, fileId]) : heldFiles.get(`${draftId}/${fileId}`);
}
