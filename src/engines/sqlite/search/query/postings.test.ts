import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryDraft } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { fields, kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { openSqliteStorage } from '../../sqlite-storage.js';
import { bitmapFrom, lowsOf } from '../index/containers.js';
import { openIndexForReading } from '../index/index-database.js';
import { Dictionary } from './dictionary.js';
import { Postings } from './postings.js';

/** Enough entries to make the list of a word that occurs in all of them a bitmap. */
const entries = bitmapFrom + 200;
const words = 100;

let dir: string;
let index: Connection;
beforeAll(async () => {
  dir = await makeTempDir();
  const { storage, searchIndex } = await openSqliteStorage({
    dataDir: dir,
    log: silentLog,
    jobs: silentJobs(),
    integrity: silentIntegrity(),
    searchThreads: 1,
  });
  await storage.write(async (tx) => {
    for (let at = 0; at < entries; at++) {
      // The first list has an odd number of entries, so that those after it are not aligned to four bytes.
      const title = at === 0 ? 'titleonce' : `title${at % words}a`;
      await tx.entries.insert(entryDraft({ title, description: `common word${at % words}a` }));
    }
  });
  await searchIndex.waitUntilIndexed();
  await storage.close();
  index = await openIndexForReading(join(dir, 'search.sqlite'));
});
afterAll(async () => {
  index.close();
  await rm(dir, { recursive: true });
});

test.each([
  ['in titles', [fields.title]],
  ['in descriptions', [fields.description]],
  ['in both', [fields.title, fields.description]],
])('the union of very many terms is that of their lists: %s', (_, wanted) => {
  const dictionary = new Dictionary(index);
  const postings = new Postings(index);
  const ids = ['title*', 'word*', 'common'].flatMap((pattern) =>
    [...dictionary.idsMatching(kinds.word, pattern)].flat(),
  );
  expect(ids).toHaveLength(2 * words + 2);
  const one = new Set<number>();
  let sum = 0;
  for (const id of ids) {
    for (const field of wanted) {
      const list = postings.list(id, field);
      sum += list.entries;
      for (const container of list.chunks.values()) for (const low of lowsOf(container)) one.add(low);
    }
  }
  const union = postings.union(ids, wanted, () => undefined);
  expect([...union.chunks.keys()]).toEqual([0]);
  const found = Array.from(union.chunks.values(), (container) => [...lowsOf(container)]).flat();
  expect(found).toEqual([...one].sort((a, b) => a - b));
  expect(union.entries).toBe(sum);
});
