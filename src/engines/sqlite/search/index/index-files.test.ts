import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entryDraft, tag } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { parseQuery } from '../../../../search/parse-query.js';
import { openSqliteStorage, type SqliteStorage } from '../../sqlite-storage.js';

let dir: string;
let opened: SqliteStorage;

beforeEach(async () => {
  dir = await makeTempDir();
  opened = await openSqliteStorage({
    dataDir: dir,
    log: silentLog,
    jobs: silentJobs(),
    integrity: silentIntegrity(),
    searchThreads: 1,
  });
});
afterEach(async () => {
  await opened.storage.close();
  await rm(dir, { recursive: true });
});

const sizeOf = (file: string) =>
  stat(join(dir, file)).then(
    ({ size }) => size,
    () => 0,
  );

/** @param tags how many tags each entry has, all different and long */
async function store(entries: number, tags: number): Promise<void> {
  await opened.storage.write(async (tx) => {
    for (let at = 0; at < entries; at++) {
      const names = Array.from({ length: tags }, (_, tag) => `${at}.${tag}${'='.repeat(500)}`);
      await tx.entries.insert(entryDraft({ description: 'word', tags: names.map((name) => tag(name)) }));
    }
  });
  await opened.searchIndex.waitUntilIndexed();
}

const search = () => opened.searchIndex.search(parseQuery({ text: 'word' }, { nowMs: 0, zone: 'UTC' }));

test('the write-ahead log of the index is emptied when it is long, although searches read the index', async () => {
  await store(10, 1);
  expect((await search()).hitCount).toBe(10);
  await store(500, 40);
  expect(await sizeOf('search.sqlite')).toBeGreaterThan(16 * 1_048_576);
  expect(await sizeOf('search.sqlite-wal')).toBeLessThan(16 * 1_048_576);
  expect((await search()).hitCount).toBe(510);
});

test('a closed storage leaves no write-ahead log', async () => {
  await store(10, 1);
  await search();
  await opened.storage.close();
  await expect
    .poll(async () => [await sizeOf('search.sqlite-wal'), await sizeOf('logbook.sqlite-wal')])
    .toEqual([0, 0]);
});
