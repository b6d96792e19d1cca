import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { attachment, entryDraft, tag } from '../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import type { DamageReports } from '../../../kernel/integrity.js';
import type { Storage } from '../../storage.port.js';
import type { Connection } from '../database/connection.js';
import { openDatabase } from '../database/open-database.js';
import { documentsFile } from '../inspect-documents.js';
import { openSqliteStorage } from '../sqlite-storage.js';
import { fillChecksums, needsChecksums } from './fill-checksums.js';

let dataDir: string;
let storage: Storage | undefined;
beforeEach(async () => {
  dataDir = await makeTempDir();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await storage?.close();
  await rm(dataDir, { recursive: true });
});

async function open(): Promise<Storage> {
  const deps = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
  ({ storage } = await openSqliteStorage({ dataDir, searchThreads: 0, ...deps }));
  return storage;
}

async function withDatabase<T>(use: (connection: Connection) => T): Promise<T> {
  const connection = await openDatabase(join(dataDir, documentsFile), 'writer');
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

const tables = ['entry', 'archived_entry', 'attachment', 'catalog_item'];
const countWithout = (connection: Connection) =>
  tables.map(
    (table) => connection.get<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE crc IS NULL`)?.count,
  );

/**
 * Creates a database as a version without checksums would: with this number of entries, each edited once, with a file
 * and a tag.
 */
async function storeEarlier(count: number): Promise<void> {
  await (await open()).write(async (tx) => {
    for (let at = 0; at < count; at++) {
      await tx.attachments.insert(attachment({ id: `file ${at}` }));
      await tx.catalog.put('tags', tag(`tag ${at}`));
      const { entry } = await tx.entries.insert(entryDraft({ description: `before ä ${at}` }));
      await tx.entries.edit({ ...entry, description: `after ü ${at}` });
    }
  });
  await storage?.close();
  await withDatabase((connection) => {
    for (const table of tables) connection.run(`UPDATE ${table} SET crc = NULL`);
    connection.run("DELETE FROM store WHERE key = 'document-checksums'");
  });
}

const isDone = () => withDatabase((connection) => !needsChecksums(connection));

test('documents of an earlier version get their checksums, and a bit that flips afterwards is found', async () => {
  await storeEarlier(30);
  const upgraded = await open();
  await expect.poll(isDone).toBe(true);
  expect(await withDatabase(countWithout)).toEqual([0, 0, 0, 0]);
  expect((await upgraded.committed.entries.find(30))?.entry.description).toBe('after ü 29');
  expect(await upgraded.committed.attachments.find('file 0')).toEqual(attachment({ id: 'file 0' }));
  await withDatabase((connection) =>
    connection.run("UPDATE entry SET document = replace(document, 'after', 'agter') WHERE id = 7"),
  );
  await expect(upgraded.committed.entries.find(7)).rejects.toMatchObject({ code: 'storage.damaged' });
});

test('one step checks some documents, and the next continues where it ended, also after a restart', async () => {
  await storeEarlier(20);
  // Each reading advances the clock by a millisecond, so that a step ends after a few documents.
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs++);
  const left = await withDatabase((connection) => {
    expect(fillChecksums(connection)).toBe(true);
    return countWithout(connection)[0] ?? 0;
  });
  expect(left).toBeLessThan(20);
  expect(left).toBeGreaterThan(0);
  await withDatabase((connection) => {
    // A document that was checked already is not checked again.
    connection.run('UPDATE entry SET crc = NULL WHERE id = 1');
    while (fillChecksums(connection));
    expect(countWithout(connection)).toEqual([1, 0, 0, 0]);
    expect(needsChecksums(connection)).toBe(false);
  });
});

test.each([
  ['not JSON', "replace(document, '{', '[')"],
  ['not UTF-8', "CAST(replace(CAST(document AS BLOB), 'before', x'c3') AS TEXT)"],
  ['empty', "'{}'"],
])(
  'a document that is %s is reported, gets no checksum that would make it look intact, and is not served',
  async (_, damage) => {
    await storeEarlier(2);
    await withDatabase((connection) =>
      connection.run(`UPDATE archived_entry SET document = ${damage} WHERE entry_id = 1`),
    );
    await withDatabase((connection) =>
      connection.run(`UPDATE entry SET document = ${damage.replace('before', 'after')} WHERE id = 1`),
    );
    const reported: (string | undefined)[] = [];
    const connection = await openDatabase(join(dataDir, documentsFile), 'writer', {
      report: ({ subject }) => void reported.push(subject),
    } as DamageReports);
    while (fillChecksums(connection));
    expect(countWithout(connection)).toEqual([1, 1, 0, 0]);
    connection.close();
    expect(reported).toEqual(['entry 1', 'entry 1']);
    const upgraded = await open();
    await expect(upgraded.committed.entries.find(1)).rejects.toMatchObject({ code: 'storage.damaged' });
    expect((await upgraded.committed.entries.find(2))?.id).toBe(2);
  },
);
