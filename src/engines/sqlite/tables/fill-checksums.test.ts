import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attachment, entryDraft, tag } from '../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
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
  await storage?.close();
  await rm(dataDir, { recursive: true });
});

async function open(): Promise<Storage> {
  const deps = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
  ({ storage } = await openSqliteStorage({ dataDir, ...deps }));
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

/** A database as a version without checksums left it: so many entries, each edited once, with a file and a tag. */
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
  await storeEarlier(300);
  const upgraded = await open();
  await expect.poll(isDone, { timeout: 20_000 }).toBe(true);
  expect(await withDatabase(countWithout)).toEqual([0, 0, 0, 0]);
  expect((await upgraded.committed.entries.find(300))?.entry.description).toBe('after ü 299');
  expect(await upgraded.committed.attachments.find('file 0')).toEqual(attachment({ id: 'file 0' }));
  await withDatabase((connection) =>
    connection.run("UPDATE entry SET document = replace(document, 'after', 'agter') WHERE id = 7"),
  );
  await expect(upgraded.committed.entries.find(7)).rejects.toMatchObject({ code: 'storage.damaged' });
});

test('one step takes some of them, and the next goes on where it ended, also after a restart', async () => {
  await storeEarlier(1_000);
  const left = await withDatabase((connection) => {
    expect(fillChecksums(connection)).toBe(true);
    return countWithout(connection)[0] ?? 0;
  });
  expect(left).toBeLessThan(1_000);
  expect(left).toBeGreaterThan(0);
  await withDatabase((connection) => {
    // Looked at already: a document without a checksum there is not looked at again.
    connection.run('UPDATE entry SET crc = NULL WHERE id = 1');
    while (fillChecksums(connection));
    expect(countWithout(connection)).toEqual([1, 0, 0, 0]);
    expect(needsChecksums(connection)).toBe(false);
  });
});

test('a document that is no JSON gets no checksum that would make it look intact', async () => {
  await storeEarlier(2);
  await withDatabase((connection) => {
    connection.run("UPDATE entry SET document = replace(document, '{', '[') WHERE id = 1");
    while (fillChecksums(connection));
    expect(countWithout(connection)).toEqual([1, 0, 0, 0]);
  });
});
