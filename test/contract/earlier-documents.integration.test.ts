import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { documentsFile } from '../../src/engines/sqlite/inspect-documents.js';
import { openSqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { formerKey } from '../fixtures/former-key.js';
import { silentIntegrity, silentJobs, silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';

const open = (dataDir: string) =>
  openSqliteStorage({ dataDir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() });

test('documents of an earlier program, which have no version, show it wherever they are read', async () => {
  const dataDir = await makeTempDir();
  let { storage, searchIndex } = await open(dataDir);
  const never = await storage.write((tx) => tx.entries.insert(entryDraft({ attachments: [attachment()] })));
  const first = await storage.write((tx) => tx.entries.insert(entryDraft({})));
  const noted = await storage.write((tx) => tx.entries.annotate({ ...first.entry, title: 'noted' }));
  const second = await storage.write((tx) => tx.entries.edit({ ...noted.entry, title: 'two' }));
  await storage.close();

  const database = await openDatabase(join(dataDir, documentsFile), 'writer');
  database.run(formerKey(first.id, 'key'));
  for (const table of ['entry', 'archived_entry']) {
    database.run(`UPDATE ${table} SET crc = NULL, document = json_remove(document, '$.version')`);
    expect(database.get(`SELECT 1 FROM ${table} WHERE document LIKE '%version%'`)).toBeUndefined();
  }
  database.close();

  ({ storage, searchIndex } = await open(dataDir));
  try {
    const { entries } = storage.committed;
    const same = (found: StoredEntry | undefined, expected: StoredEntry) =>
      expect(found?.json.toString()).toBe(expected.json.toString());
    same(await entries.find(never.id), never);
    same(await entries.find(first.id), second);
    same(await entries.findVersion(first.id, 1), noted);
    same(await entries.findVersion(first.id, 2), second);
    for await (const archived of entries.listArchived(first.id)) same(archived, noted);
    same(await storage.write((tx) => tx.entries.findCreatedUnder('user', 'key')), noted);
    expect(Buffer.from((await entries.findJson(first.id, 1)) ?? []).toString()).toBe(noted.json.toString());

    const query = parseQuery({ sort: 'up' }, { nowMs: 0, zone: 'UTC' });
    for (const view of [undefined, { isList: false, hasHighlights: false }]) {
      const page = await searchIndex.search(query, { view });
      const found = page.entries.kind === 'joined' ? JSON.parse(Buffer.from(page.entries.json).toString()) : [];
      expect(found).toMatchObject([never.entry, second.entry]);
    }
    const third = await storage.write((tx) => tx.entries.edit({ ...second.entry, title: 'three' }));
    expect(third.entry.version).toBe(3);
    same(await entries.findVersion(first.id, 2), second);
  } finally {
    await storage.close();
    await rm(dataDir, { recursive: true });
  }
});
