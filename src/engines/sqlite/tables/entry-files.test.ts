import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { downgradeToVersion6 } from '../../../../test/fixtures/earlier-schema.js';
import { attachment, entryDraft, logbook } from '../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import type { Storage } from '../../storage.port.js';
import { openDatabase } from '../database/open-database.js';
import { documentsFile } from '../inspect-documents.js';
import { openSqliteStorage } from '../sqlite-storage.js';
import { entryFileReader } from './entry-files.js';

let dir: string;
let storage: Storage | undefined;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(async () => {
  await storage?.close();
  await rm(dir, { recursive: true });
});

async function open(): Promise<Storage> {
  ({ storage } = await openSqliteStorage({
    dataDir: dir,
    log: silentLog,
    jobs: silentJobs(),
    integrity: silentIntegrity(),
    searchThreads: 0,
  }));
  return storage;
}

/** Makes the database one of the version before file names were recorded. */
async function downgrade(): Promise<void> {
  await storage?.close();
  const database = await openDatabase(join(dir, documentsFile), 'writer');
  downgradeToVersion6(database);
  database.close();
}

async function withDatabase<T>(read: (get: (sql: string) => unknown) => T): Promise<T> {
  const database = await openDatabase(join(dir, documentsFile), 'reader');
  try {
    return read((sql) => Object.values(database.get(sql) ?? {})[0]);
  } finally {
    database.close();
  }
}

/** Waits until the files of all earlier entries are recorded. */
async function untilRecorded(): Promise<void> {
  const left = () => withDatabase((get) => get("SELECT count(*) FROM store WHERE key = 'entry-files'"));
  await expect.poll(left).toBe(0);
}

const file = (id: string, filename: string) => attachment({ id, filename });

/** Stores entries from which an edit removes `a.txt`; every second one is in a second logbook until the edit. */
async function storeEdited(store: Storage, count: number): Promise<void> {
  await store.write(async (tx) => {
    for (let at = 1; at <= count; at++) {
      await tx.attachments.insert(file(`a${at}`, 'a.txt'));
      await tx.attachments.insert(file(`b${at}`, 'b.txt'));
      const logbooks = at % 2 === 0 ? [logbook('operations'), logbook('controls')] : [logbook('operations')];
      const attachments = [file(`a${at}`, 'a.txt'), file(`b${at}`, 'b.txt')];
      const { entry } = await tx.entries.insert(entryDraft({ attachments, logbooks }));
      const logbooksAfter = [logbook('operations')];
      await tx.entries.edit({ ...entry, attachments: [file(`b${at}`, 'b.txt')], logbooks: logbooksAfter });
    }
  });
}

async function shown(store: Storage, entryId: number, filename: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { attachmentId, logbooks } of store.committed.attachments.listShown(entryId, filename))
    found.push([attachmentId, ...logbooks.map(({ name }) => name).sort()]);
  return found;
}

async function showing(store: Storage, attachmentId: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { entryId, logbooks } of store.committed.attachments.listShowing(attachmentId))
    found.push([entryId, ...logbooks.map(({ name }) => name).sort()]);
  return found;
}

test('the files of a database of an earlier version are found immediately, and recorded while it runs', async () => {
  await storeEdited(await open(), 400);
  await downgrade();
  const upgraded = await open();
  const expectAll = async () => {
    for (const id of [1, 2, 399, 400]) {
      const removedFrom = id % 2 === 0 ? ['controls', 'operations'] : ['operations'];
      expect(await shown(upgraded, id, 'a.txt')).toEqual([[`a${id}`, ...removedFrom]]);
      expect((await shown(upgraded, id, 'b.txt'))[0]).toEqual([`b${id}`, 'operations']);
      expect(await shown(upgraded, id, 'c.txt')).toEqual([]);
      expect(await showing(upgraded, `a${id}`)).toEqual([[id, ...removedFrom]]);
    }
  };
  await expectAll();
  await untilRecorded();
  await expectAll();
  // An entry that was in two logbooks and then in one has two rows for `b.txt`.
  expect(await withDatabase((get) => get('SELECT count(*) FROM entry_file'))).toBe(400 + 600);
  expect(
    await withDatabase((get) => get("SELECT count(*) FROM sqlite_schema WHERE name = 'attachment_entry_fill'")),
  ).toBe(0);
});

test('an edit while earlier files are still being recorded loses none of them', async () => {
  await storeEdited(await open(), 300);
  await downgrade();
  const upgraded = await open();
  await upgraded.write(async (tx) => {
    const stored = await tx.entries.find(300);
    if (!stored) throw new Error('entry 300 is missing');
    await tx.entries.edit({ ...stored.entry, attachments: [] });
  });
  await untilRecorded();
  expect(await shown(upgraded, 300, 'a.txt')).toEqual([['a300', 'controls', 'operations']]);
  expect((await shown(upgraded, 300, 'b.txt'))[0]).toEqual(['b300', 'operations']);
});

test('recording resumes where the program ended', async () => {
  await storeEdited(await open(), 500);
  await downgrade();
  const first = await open();
  await first.close();
  const again = await open();
  await untilRecorded();
  expect(await withDatabase((get) => get('SELECT count(*) FROM entry_file'))).toBe(500 + 750);
  expect(await shown(again, 500, 'a.txt')).toEqual([['a500', 'controls', 'operations']]);
});

test('files are looked up by name and by id through an index, however many versions an entry has', async () => {
  await storeEdited(await open(), 3);
  const database = await openDatabase(join(dir, documentsFile), 'reader');
  const plans: string[] = [];
  const explained: Pick<typeof database, 'all' | 'get'> = {
    get: (sql, ...values) => database.get(sql, ...values),
    all: (sql, ...values) => {
      const steps = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      plans.push(...steps.map(({ detail }) => detail).filter((detail) => !/logbook_set/.test(detail)));
      return database.all(sql, ...values);
    },
  };
  const reader = entryFileReader(explained as typeof database);
  for await (const { attachmentId } of reader.listShown(2, 'a.txt')) expect(attachmentId).toBe('a2');
  expect(plans).toEqual([
    expect.stringMatching(
      /^SEARCH entry_file USING COVERING INDEX entry_file_name \(entry_id=\? AND filename=\? AND version<\?\)$/,
    ),
  ]);
  plans.length = 0;
  for await (const { entryId } of reader.listShowing('a2')) expect(entryId).toBe(2);
  expect(
    plans.filter((step) => !/^SEARCH \w+ USING (COVERING )?(INDEX|PRIMARY KEY)|^USE TEMP B-TREE/.test(step)),
  ).toEqual([]);
  expect(plans.filter((step) => /entry_file /.test(step))).toEqual([expect.stringContaining('attachment_id=?')]);
  database.close();
});
