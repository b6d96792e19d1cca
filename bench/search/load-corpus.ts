import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LogbookAccess } from '../../src/auth/logbook-access.js';
import { Permissions } from '../../src/auth/permissions.js';
import { storeItems } from '../../src/catalog/edit-catalog.js';
import type { Storage, Transaction } from '../../src/engines/storage.port.js';
import { withGroup } from '../../src/entries/entry.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { joinGroupOf } from '../../src/entries/group-entries.js';
import { programFile } from '../servers.js';
import { AttachmentFolder } from './attachment-files.js';
import { type Corpus, type CorpusEntry, corpusEdition } from './corpus.js';
import { indexCaughtUp, openEngine } from './engine.js';

const entriesPerWrite = 500;
const writesInFlight = 3;

/** Times of a load, in milliseconds. */
export interface LoadTimes {
  /** Time in which the entries were made; included in the two others. */
  readonly generatedMs: number;
  /** Time until every entry was stored. */
  readonly storedMs: number;
  /** Time until every entry could be found. */
  readonly indexedMs: number;
  /** Number of writes that were not indexed yet when every entry was stored. */
  readonly unindexedWrites: number;
}

/**
 * Fills `dataDir` with the corpus, unless a finished load of the same one is there.
 * @returns undefined when it was there
 */
export async function loadCorpus(
  corpus: Corpus,
  dataDir: string,
  options: { readonly fresh: boolean; readonly signal: AbortSignal },
): Promise<LoadTimes | undefined> {
  const marker = join(dataDir, 'corpus.json');
  const content = JSON.stringify({ edition: corpusEdition, seed: corpus.seed, entries: corpus.entries });
  if (existsSync(marker) && readFileSync(marker, 'utf8') === content && !options.fresh) return undefined;
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0 && !existsSync(join(dataDir, 'logbook.sqlite'))) {
    throw new Error(`${dataDir} holds something other than a logbook, and would be removed. Take another --dir.`);
  }
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const { storage, searchIndex } = await openEngine(dataDir);
  let times: LoadTimes;
  try {
    const startedMs = performance.now();
    const generatedMs = await storeCorpus(storage, corpus, options.signal, new AttachmentFolder(dataDir));
    const storedMs = performance.now() - startedMs;
    const { unindexedWrites } = await searchIndex.status();
    await indexCaughtUp(searchIndex, options.signal);
    times = { generatedMs, storedMs, indexedMs: performance.now() - startedMs, unindexedWrites };
  } finally {
    await storage.close();
  }
  await adopt(dataDir);
  writeFileSync(marker, content);
  return times;
}

/** Adopts the files of the attachments, which the program has not stored. It would not start with them. */
async function adopt(dataDir: string): Promise<void> {
  const command = ['adopt', '--data-dir', dataDir];
  await promisify(execFile)(process.execPath, [programFile, ...command], { env: { PATH: process.env.PATH } });
}

const everything = {
  permissions: new Permissions('signed-in', new LogbookAccess([])),
  principal: undefined,
};

/**
 * Stores an entry like a create does in its transaction. The entry must be the next one of the store: its id is its
 * index plus 1.
 */
export async function insertEntry(
  tx: Transaction,
  index: number,
  { content, replyTo }: CorpusEntry,
): Promise<StoredEntry> {
  for (const attachment of content.attachments) await tx.attachments.insert(attachment);
  const atMs = content.createdDate;
  const inReplyTo = replyTo === undefined ? undefined : replyTo + 1;
  const how = { nowMs: atMs, notify: false, chosenId: undefined };
  const groupId = inReplyTo === undefined ? undefined : await joinGroupOf(tx, everything, inReplyTo, how);
  const properties = groupId === undefined ? content.properties : withGroup(content.properties, groupId);
  const entry = await tx.entries.insert({ ...content, properties }, { inReplyTo });
  if (entry.id !== index + 1) throw new Error(`entry ${index} of the corpus got the id ${entry.id}`);
  await tx.feed.append({ kind: 'created', entryId: entry.id, revision: entry.revision, notify: false, atMs });
  return entry;
}

async function fillCatalog(storage: Storage, { names }: Corpus): Promise<void> {
  const state = 'Active';
  await storage.write(async (tx) => {
    await storeItems(
      tx,
      'levels',
      names.levels.map((name) => ({ name, defaultLevel: name === 'Info' })),
    );
    await storeItems(
      tx,
      'logbooks',
      names.logbooks.map((name) => ({ name, owner: 'admin', state })),
    );
    await storeItems(
      tx,
      'tags',
      names.tags.map((name) => ({ name, state })),
    );
    await storeItems(
      tx,
      'properties',
      names.properties.map(({ name, attributes }) => ({
        name,
        owner: 'admin',
        state,
        attributes: attributes.map((attribute) => ({ name: attribute.name, value: null, state })),
      })),
    );
  });
}

/**
 * Stores the entries of a corpus.
 * @param files folder for the files of attachments; undefined: they are not written
 * @returns time in which the entries were made and the files written, in milliseconds
 */
export async function storeCorpus(
  storage: Storage,
  corpus: Corpus,
  signal: AbortSignal,
  files?: AttachmentFolder,
): Promise<number> {
  await fillCatalog(storage, corpus);
  let generatedMs = 0;
  let next = 0;
  let edits: { readonly id: number; readonly edit: NonNullable<CorpusEntry['edit']> }[] = [];
  const writer = async () => {
    while (next < corpus.entries || edits.length > 0) {
      signal.throwIfAborted();
      const startedMs = performance.now();
      const first = next;
      const end = Math.min(first + entriesPerWrite, corpus.entries);
      next = end;
      const entries = Array.from({ length: end - first }, (_, at) => corpus.entry(first + at));
      for (const { content } of files ? entries : []) {
        for (const one of content.attachments) files?.write(one, corpus.fileOf(one));
      }
      generatedMs += performance.now() - startedMs;
      // The entries of these edits are in earlier writes, and writes run in the order of their requests.
      const due = edits;
      edits = entries.flatMap(({ edit }, at) => (edit ? [{ id: first + at + 1, edit }] : []));
      await storage.write(async (tx) => {
        for (const [at, entry] of entries.entries()) await insertEntry(tx, first + at, entry);
        for (const { id, edit } of due) await editEntry(tx, id, edit);
      });
      if (Math.floor(first / 100_000) < Math.floor(end / 100_000)) console.error(`${end} entries are stored …`);
    }
  };
  await Promise.all(Array.from({ length: writesInFlight }, writer));
  return generatedMs;
}

async function editEntry(tx: Transaction, id: number, edit: NonNullable<CorpusEntry['edit']>): Promise<void> {
  const stored = await tx.entries.find(id);
  if (!stored) throw new Error(`entry ${id} is not stored`);
  const { revision } = await tx.entries.edit({ ...stored.entry, ...edit });
  await tx.feed.append({ kind: 'edited', entryId: id, revision, notify: false, atMs: edit.modifyDate ?? 0 });
}
