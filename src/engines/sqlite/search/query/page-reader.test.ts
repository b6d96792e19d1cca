import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entryDraft } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import type { PageEntries } from '../../../../search/search-index.port.js';
import type { Connection } from '../../database/connection.js';
import { openDatabase } from '../../database/open-database.js';
import { documentsFile } from '../../inspect-documents.js';
import { openSqliteStorage } from '../../sqlite-storage.js';
import { PageReader } from './page-reader.js';

let dataDir: string;
let documents: Connection;
let reader: PageReader;
beforeEach(async () => {
  dataDir = await makeTempDir();
});
afterEach(async () => {
  documents.close();
  await rm(dataDir, { recursive: true });
});

/** Stores entries with these descriptions, which get the ids from 1. */
async function store(descriptions: readonly string[]): Promise<void> {
  const deps = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
  const { storage } = await openSqliteStorage({ dataDir, searchThreads: 0, ...deps });
  await storage.write(async (tx) => {
    for (const description of descriptions) await tx.entries.insert(entryDraft({ description }));
  });
  await storage.close();
  documents = await openDatabase(join(dataDir, documentsFile), 'writer');
  reader = new PageReader(documents);
  reader.refresh();
}

/** Returns the descriptions of the entries of a page; `long` if the page is left to the reader of single entries. */
function read(ids: readonly number[]): string[] | 'long' {
  const page: PageEntries = reader.read(ids);
  if (page.kind === 'long') return 'long';
  return (JSON.parse(Buffer.from(page.json).toString()) as { description: string }[]).map((one) => one.description);
}

/** Replaces a text in a stored entry as a disk fault would; with `write`, as a write of the service would. */
function change(id: number, from: string, to: string, write = false): void {
  documents.run('UPDATE entry SET document = replace(document, ?, ?) WHERE id = ?', from, to, id);
  if (write)
    documents.run('UPDATE entry SET crc = NULL, sequence = (SELECT max(sequence) + 1 FROM entry) WHERE id = ?', id);
}

test('a page has its entries in the order of the ids, whichever of them were read before', async () => {
  await store(['one', 'zwölf 😀', 'three']);
  expect(read([3, 1])).toEqual(['three', 'one']);
  expect(read([2, 3, 1])).toEqual(['zwölf 😀', 'three', 'one']);
  expect(read([])).toEqual([]);
});

test('an entry that was written again is read again after a refresh, and the others are not', async () => {
  await store(['one', 'two']);
  for (let times = 0; times < 2; times++) expect(read([1, 2])).toEqual(['one', 'two']);
  change(1, 'one', 'edited', true);
  change(2, 'two', 'damaged');
  reader.refresh();
  expect(read([1, 2])).toEqual(['edited', 'two']);
});

test('after very many writes, all entries are read again', async () => {
  await store(Array.from({ length: 1_001 }, (_, at) => `text ${at}.`));
  for (let times = 0; times < 2; times++) expect(read([1, 2])).toEqual(['text 0.', 'text 1.']);
  documents.run(
    `UPDATE entry SET sequence = sequence + 2000, crc = NULL, document = replace(document, 'text', 'edited')`,
  );
  reader.refresh();
  expect(read([1, 2])).toEqual(['edited 0.', 'edited 1.']);
});

test('a damaged document is left to the reader of single entries, and never kept', async () => {
  await store(['one', 'two']);
  change(2, 'two', 'twp');
  for (let times = 0; times < 2; times++) expect(read([1, 2])).toBe('long');
  expect(read([1])).toEqual(['one']);
  change(2, 'twp', 'two');
  expect(read([1, 2])).toEqual(['one', 'two']);
});

test('a long entry, and many that are long together, are left to the reader of single entries', async () => {
  await store(['one', 'x'.repeat(70_000), ...Array.from({ length: 40 }, () => 'x'.repeat(30_000))]);
  expect(read([1, 2])).toBe('long');
  const ids = Array.from({ length: 40 }, (_, at) => at + 3);
  expect(read(ids)).toBe('long');
  // The same applies when all of them are cached.
  for (const id of [...ids, ...ids]) expect(read([id])).toHaveLength(1);
  expect(read(ids)).toBe('long');
  expect(reader.read(ids)).toMatchObject({ kind: 'long', versions: ids.map((id) => ({ id, revision: 1 })) });
  expect(read(ids.slice(0, 30))).toHaveLength(30);
});
