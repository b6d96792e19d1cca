import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Draft } from './draft.ts';
import { journaledDrafts, readJournal, removeFromJournal, writeJournal } from './journal.ts';
import { heldDrafts, heldFiles, holdDraft } from './page-storage.ts';

/** Names the record of a file by its draft and its own id. */
type FileKey = [draftId: string, fileId: string];

interface Schema extends DBSchema {
  drafts: { key: string; value: Draft };
  files: { key: FileKey; value: Blob };
}

let opened: Promise<IDBPDatabase<Schema> | undefined> | undefined;

/** Returns the database of this browser; undefined if the browser has switched it off. */
function database(): Promise<IDBPDatabase<Schema> | undefined> {
  opened ??= openDatabase().catch(() => undefined);
  return opened;
}

/** Some browsers throw instead of returning a promise that fails. */
async function openDatabase(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>('logbook', 1, {
    upgrade: (db) => {
      db.createObjectStore('drafts', { keyPath: 'id' });
      db.createObjectStore('files');
    },
    terminated: () => {
      opened = undefined;
    },
  });
}

/** Storage of a draft: the disk of this browser, or only this page if the browser stores nothing. */
export type Kept = 'disk' | 'page';

/** Revision in the database, by draft id, of each draft whose newer revision it could not store. */
const knownBeside = new Map<string, string | undefined>();

/** Keeps a draft that the database cannot store: in the journal, or else in the page. */
function keepBeside(draft: Draft): Kept {
  if (writeJournal(draft)) {
    heldDrafts.delete(draft.id);
    return 'disk';
  }
  holdDraft(draft);
  return 'page';
}

/**
 * Returns the draft from the journal or the page. It is newer than the database if a page ended suddenly, or if the
 * database could not store it.
 */
function keptBeside(id: string): Draft | undefined {
  return newer(readJournal(id), heldDrafts.get(id));
}

/** Returns the draft as this browser has it. */
export async function findDraft(id: string): Promise<Draft | undefined> {
  const stored = await (await database())?.get('drafts', id);
  return newer(stored, keptBeside(id));
}

export async function listDrafts(): Promise<Draft[]> {
  const stored = (await (await database())?.getAll('drafts')) ?? [];
  const all = new Map(stored.map((draft) => [draft.id, draft]));
  for (const draft of [...journaledDrafts(), ...heldDrafts.values()]) {
    const newest = newer(all.get(draft.id), draft);
    if (newest) all.set(draft.id, newest);
  }
  return [...all.values()].sort((one, other) => other.modifiedMs - one.modifiedMs);
}

function newer(stored: Draft | undefined, journaled: Draft | undefined): Draft | undefined {
  if (!stored || !journaled) return stored ?? journaled;
  return journaled.modifiedMs > stored.modifiedMs ? journaled : stored;
}

/** Error: another tab has replaced the revision that the caller knew. */
export class DraftChangedElsewhere extends Error {
  override readonly name = 'DraftChangedElsewhere';

  constructor(readonly current: Draft) {
    super('The draft has changed in another tab.');
  }
}

/**
 * Stores the draft on the disk.
 * @param isKnown says within the transaction whether the caller may replace the stored revision; undefined: it may
 * replace any
 * @throws DraftChangedElsewhere and stores nothing
 */
export async function storeDraft(draft: Draft, isKnown?: (revision: string) => boolean): Promise<Kept> {
  const db = await database();
  if (!db) return keepBeside(draft);
  let current: Draft | undefined;
  try {
    const transaction = writing(db);
    current = await transaction.store.get(draft.id);
    if (current && !mayReplace(current, draft, isKnown)) throw new DraftChangedElsewhere(current);
    // Another tab may have stored a newer copy on the server.
    await transaction.store.put(isKnown && current?.server ? { ...draft, server: current.server } : draft);
    await transaction.done;
  } catch (error) {
    if (error instanceof DraftChangedElsewhere) throw error;
    knownBeside.set(draft.id, current?.revision);
    return keepBeside(draft);
  }
  forgetBeside(draft);
  return 'disk';
}

function writing(db: IDBPDatabase<Schema>) {
  const transaction = db.transaction('drafts', 'readwrite', { durability: 'strict' });
  // The transaction is awaited after the last request; a request that fails earlier is reported separately.
  transaction.done.catch(() => {});
  return transaction;
}

function mayReplace(
  current: Draft,
  { id, revision }: Draft,
  isKnown: ((revision: string) => boolean) | undefined,
): boolean {
  if (current.submission !== undefined || current.discardedMs !== undefined) return false;
  if (isKnown === undefined || isKnown(current.revision)) return true;
  return [revision, knownBeside.get(id)].includes(current.revision);
}

/** Removes the copies in the journal and the page, unless they are newer than this draft from the database. */
function forgetBeside({ id, modifiedMs }: Draft): void {
  removeFromJournal(id, modifiedMs);
  if ((heldDrafts.get(id)?.modifiedMs ?? 0) <= modifiedMs) heldDrafts.delete(id);
  knownBeside.delete(id);
}

/**
 * Changes the stored draft in one transaction, unless `change` returns undefined.
 * @returns what was stored; undefined when there is no such draft, or nothing was changed
 */
export async function changeStored(
  id: string,
  change: (draft: Draft) => Draft | undefined,
): Promise<Draft | undefined> {
  const db = await database();
  let current: Draft | undefined;
  if (db) {
    try {
      const transaction = writing(db);
      current = await transaction.store.get(id);
      const newest = newer(current, keptBeside(id));
      const changed = newest && change(newest);
      if (changed) await transaction.store.put(changed);
      await transaction.done;
      return changed;
    } catch {
      // The database is full or gone: keep the draft outside of it.
    }
  }
  return changeBeside(id, current, change);
}

function changeBeside(
  id: string,
  stored: Draft | undefined,
  change: (draft: Draft) => Draft | undefined,
): Draft | undefined {
  const newest = newer(stored, keptBeside(id));
  const changed = newest && change(newest);
  if (!changed) return undefined;
  // Later than the revision in the database.
  const later = { ...changed, modifiedMs: changed.modifiedMs + 1 };
  if (stored) knownBeside.set(id, stored.revision);
  keepBeside(later);
  return later;
}

/**
 * Removes the draft and its files, unless it has changed since the caller read it.
 * @param mayRemove says within the transaction whether the draft, as it is now, may be removed
 * @returns false when it was kept
 */
export async function removeDraft(id: string, mayRemove: (draft: Draft) => boolean): Promise<boolean> {
  const db = await database();
  const transaction = db?.transaction(['drafts', 'files'], 'readwrite', { durability: 'strict' });
  const newest = newer(await transaction?.objectStore('drafts').get(id), keptBeside(id));
  if (newest && !mayRemove(newest)) return false;
  removeFromJournal(id);
  heldDrafts.delete(id);
  knownBeside.delete(id);
  await transaction?.objectStore('drafts').delete(id);
  await transaction?.objectStore('files').delete(IDBKeyRange.bound([id], [id, []]));
  await transaction?.done;
  return true;
}

export async function storeFile(draftId: string, fileId: string, bytes: Blob): Promise<void> {
  const key = `${draftId}/${fileId}`;
  try {
    const db = await database();
    if (!db) heldFiles.set(key, bytes);
    else await db.put('files', bytes, [draftId, fileId]);
  } catch {
    heldFiles.set(key, bytes);
  }
}

export async function findFile(draftId: string, fileId: string): Promise<Blob | undefined> {
  const held = heldFiles.get(`${draftId}/${fileId}`);
  return held ?? (await database())?.get('files', [draftId, fileId]);
}
