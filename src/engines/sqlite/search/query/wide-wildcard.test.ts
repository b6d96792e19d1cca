import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryDraft } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { parseQuery } from '../../../../search/parse-query.js';
import type { SearchIndex } from '../../../../search/search-index.port.js';
import type { Storage } from '../../../storage.port.js';
import { openSqliteStorage } from '../../sqlite-storage.js';

/** More words than are looked up by name. */
const wordCount = 20_500;
const entryCount = 50;

let dir: string;
let storage: Storage;
let searchIndex: SearchIndex;
beforeAll(async () => {
  dir = await makeTempDir();
  const deps = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
  ({ storage, searchIndex } = await openSqliteStorage({ dataDir: dir, searchThreads: 1, ...deps }));
  const perEntry = wordCount / entryCount;
  await storage.write(async (tx) => {
    for (let at = 0; at < entryCount; at += 1) {
      const words = Array.from({ length: perEntry }, (_, word) => `zq${100_000 + at * perEntry + word}`);
      await tx.entries.insert(entryDraft({ title: at % 2 === 0 ? 'even' : 'odd', description: words.join(' ') }));
    }
  });
  await searchIndex.waitUntilIndexed();
});
afterAll(async () => {
  await storage.close();
  await rm(dir, { recursive: true });
});

const hits = async (params: Record<string, string>) =>
  (await searchIndex.search(parseQuery(params, { nowMs: 0, zone: 'UTC' }))).hitCount;

test('a wildcard that matches over 20,000 words finds the entries of all of them', async () => {
  expect(await hits({ text: 'zq*' })).toBe(entryCount);
  expect(await hits({ text: '*q1*' })).toBe(entryCount);
  expect(await hits({ text: 'zq*', title: 'even' })).toBe(entryCount / 2);
});

test('a wildcard over more than 20,000 words finds nothing else, and excludes every entry that it matches', async () => {
  await storage.write((tx) => tx.entries.insert(entryDraft({ title: 'other', description: 'beam' })));
  expect(await hits({ text: 'zq*' })).toBe(entryCount);
  expect(await hits({ query: '-zq*' })).toBe(1);
});
