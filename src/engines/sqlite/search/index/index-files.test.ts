import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entryDraft } from '../../../../../test/fixtures/entries.js';
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

async function store(entries: number, words: number): Promise<void> {
  await opened.storage.write(async (tx) => {
    for (let at = 0; at < entries; at++) {
      const description = Array.from({ length: words }, (_, word) => `${at.toString(36)}w${word}`).join(' ');
      await tx.entries.insert(entryDraft({ description }));
    }
  });
  await opened.searchIndex.waitUntilIndexed();
}

const search = () => opened.searchIndex.search(parseQuery({ text: '1w1' }, { nowMs: 0, zone: 'UTC' }));

test('the write-ahead log of the index is emptied when it is long, although searches read the index', async () => {
  await store(10, 10);
  await search();
  await store(1_000, 250);
  expect(await sizeOf('search.sqlite')).toBeGreaterThan(16 * 1_048_576);
  expect(await sizeOf('search.sqlite-wal')).toBeLessThan(16 * 1_048_576);
  const { hitCount } = await search();
  expect(hitCount).toBe(2);
}, 60_000);

test('a closed storage leaves no write-ahead log', async () => {
  await store(10, 10);
  await search();
  await opened.storage.close();
  expect([await sizeOf('search.sqlite-wal'), await sizeOf('logbook.sqlite-wal')]).toEqual([0, 0]);
});
