import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wildcardTest } from '../../../../../packages/search-language/wildcard.js';
import { entryDraft } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { fields, kinds } from '../../../search-terms.js';
import { openDatabase } from '../../database/open-database.js';
import { openSqliteStorage } from '../../sqlite-storage.js';
import { count, empty } from '../index/containers.js';
import { FrequentWords } from '../index/frequent-words.js';
import { openIndexForReading } from '../index/index-database.js';
import { CreationOrder } from './creation-order.js';
import { Dictionary } from './dictionary.js';
import type { IndexReader } from './index-reader.js';
import { Postings } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';
import { ReadEntries, wideCondition } from './wide-condition.js';

/** Number of entries, each with two words of its own. */
const entries = 20;

let dir: string;
let reader: IndexReader;
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
    for (let at = 0; at < entries; at++) await tx.entries.insert(entryDraft({ description: `wide${at}a wide${at}b` }));
  });
  await searchIndex.waitUntilIndexed();
  await storage.close();
  const documents = await openDatabase(join(dir, 'logbook.sqlite'), 'reader');
  const index = await openIndexForReading(join(dir, 'search.sqlite'));
  reader = {
    index,
    documents,
    postings: new Postings(index),
    dictionary: new Dictionary(index),
    frequentWords: new FrequentWords(index),
    order: new CreationOrder(documents),
  };
});
afterAll(async () => {
  reader.index.close();
  reader.documents.close();
  await rm(dir, { recursive: true });
});

const wanted = {
  fields: [fields.description],
  exact: [],
  patterns: [[kinds.word, 'wide*']],
  written: 'wide*',
} as const;

/** Returns the condition, and all entries, which are in the first chunk. */
function conditionOf(limits: { fewEntries: number; maxEntries: number; maxTerms: number }) {
  const all = reader.postings
    .union([...reader.dictionary.idsMatching(kinds.word, 'wide*')].flat(), wanted.fields, () => undefined)
    .chunks.get(0);
  if (!all) throw new Error('nothing is indexed');
  const existing = { size: () => entries, idsIn: () => all, matches: () => true };
  const test = {
    matches: (entry: UnindexedEntry) => entry.some(kinds.word, fields.description, wildcardTest('wide*')),
    entries: new ReadEntries(reader.documents),
    checkTime: () => undefined,
  };
  return { condition: wideCondition(reader, wanted, existing, test, limits), all };
}

test.each([
  ['few entries are tested', { fewEntries: entries, maxEntries: entries, maxTerms: 0 }],
  ['the lists of all words are joined', { fewEntries: 0, maxEntries: 0, maxTerms: 2 * entries }],
  ['with too many words, entries are tested', { fewEntries: 0, maxEntries: entries, maxTerms: 2 * entries - 1 }],
])('a wildcard finds the same entries, whichever way costs less: %s', (_, limits) => {
  expect(count(conditionOf(limits).condition.idsIn(0))).toBe(entries);
  const { condition, all } = conditionOf(limits);
  expect(count(condition.filter?.(0, all) ?? empty)).toBe(entries);
});

test('400 search.too-many-terms: too many words and too many entries; the message names the part to narrow', () => {
  const { condition, all } = conditionOf({ fewEntries: 0, maxEntries: entries - 1, maxTerms: 2 * entries - 1 });
  const refusal = expect.objectContaining({
    kind: 'invalid',
    code: 'search.too-many-terms',
    message:
      '“wide*” matches too many different words, and the other parts of this search leave too many entries. The limit is 39 different words, or 19 entries, for each part of a search, regardless of the client, and is fixed. Write more letters of “wide*”, or narrow the search, for example by a time window or a logbook.',
  });
  expect(() => condition.idsIn(0)).toThrow(refusal);
  expect(() => condition.filter?.(0, all)).toThrow(refusal);
});

test('an entry is read once for all parts of a search', () => {
  const read = new ReadEntries(reader.documents);
  expect(read.get(1)).toBe(read.get(1));
  expect(read.get(1)).not.toBe(read.get(2));
});
