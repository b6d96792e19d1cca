import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { attachment, entryDraft } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import type { NewEntryDocument } from '../../../../entries/entry.js';
import type { QueryDefaults } from '../../../../search/parse-query.js';
import { parseQuery } from '../../../../search/parse-query.js';
import type { SearchPage } from '../../../../search/search-index.port.js';
import type { SearchParams } from '../../../../search/search-params.js';
import type { Storage } from '../../../storage.port.js';
import type { Connection } from '../../database/connection.js';
import { openDatabase } from '../../database/open-database.js';
import { openSqliteStorage } from '../../sqlite-storage.js';
import { openIndexForReading, openIndexForWriting } from '../index/index-database.js';
import { EntrySearcher } from './entry-search.js';
import { QuickSearcher } from './quick-searcher.js';

/** Number of entries: enough that the words which most of them contain form pairs. */
const count = 1_300;
/** Writes a number in letters, so that no number is part of two names. */
const letters = (number: number) => [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

/** Words of long entries, with the number of these entries. Each has more than 20 kB. */
const longWords = { twofold: 2, fivefold: 5, fifteenfold: 15 };

let dir: string;
let storage: Storage;
let waitUntilIndexed: () => Promise<void>;
let documents: Connection;
let quick: QuickSearcher;
let all: EntrySearcher;

beforeAll(async () => {
  dir = await makeTempDir();
  const opened = await openSqliteStorage({
    ...{ dataDir: dir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity(), searchThreads: 1 },
  });
  storage = opened.storage;
  waitUntilIndexed = () => opened.searchIndex.waitUntilIndexed();
  await storage.write(async (tx) => {
    for (let at = 0; at < count; at++) {
      const entry = entryOf(at);
      for (const one of entry.attachments) await tx.attachments.insert(one);
      await tx.entries.insert(entry);
    }
    for (const description of ['overlong', `overlong ${'text '.repeat(14_000)}`]) {
      await tx.entries.insert(entryDraft({ description }));
    }
    for (const [word, entries] of Object.entries(longWords)) {
      const text = `${word} text `.repeat(2_000);
      for (let at = 0; at < entries; at++) await tx.entries.insert(entryDraft({ description: text }));
    }
  });
  await waitUntilIndexed();
  documents = await openDatabase(join(dir, 'logbook.sqlite'), 'reader');
  const index = await openIndexForReading(join(dir, 'search.sqlite'));
  quick = new QuickSearcher(index, documents);
  all = new EntrySearcher(index, documents);
});
afterAll(async () => {
  documents.close();
  await storage.close();
  await rm(dir, { recursive: true, force: true });
});

function entryOf(at: number): NewEntryDocument {
  const description = `Beam current lost at SR:C${at % 7}-${letters(at)}{Quad:1}, ${at % 50 === 0 ? 'vacuum leak' : 'leak of vacuum'}`;
  return entryDraft({
    title: at % 100 === 0 ? `Quench ${letters(at)}` : 'Trip',
    description,
    source: description,
    // Every third is stored after others that are newer.
    createdDate: at % 3 === 0 ? 1_000 : 1_000 + at,
    attachments: at === 77 ? [attachment({ filename: 'quench.txt', contentType: 'text/plain' })] : [],
  });
}

function queryOf(params: SearchParams, defaults: Partial<QueryDefaults> = {}) {
  return parseQuery({ size: '20', ...params }, { nowMs: 0, zone: 'UTC', ...defaults });
}

function shown(page: SearchPage | undefined): unknown {
  if (page?.entries.kind !== 'joined') return page;
  return [page.hitCount, Buffer.from(page.entries.json).toString()];
}

const answered: readonly (readonly [params: SearchParams, hits: number])[] = [
  [{ text: letters(501) }, 1],
  [{ text: `SR:C4-${letters(501)}{Quad:1}` }, 1],
  [{ text: `"quad 1 vacuum leak"` }, 26],
  [{ text: `"quad 1 vacuum leak"`, sort: 'up', from: '3', size: '5' }, 26],
  [{ text: `beam "${letters(501)} quad"` }, 1],
  [{ text: `"beam ${letters(501)}"` }, 0],
  [{ text: 'absent' }, 0],
  [{ text: 'absent beam' }, 0],
  [{ title: 'quench' }, 13],
  [{ title: 'quench', text: 'vacuum' }, 13],
  [{ query: 'quench' }, 14],
  [{ query: `"quench ${letters(700)}"` }, 1],
  [{ query: `SR:C4-${letters(501)}{Quad:1}` }, 1],
  [{ text: 'fivefold' }, 5],
  [{ text: '"twofold text"' }, 2],
  [{ text: 'fifteenfold', size: '1' }, 15],
  [{ text: 'fifteenfold', size: '2', from: '14', sort: 'up' }, 15],
  [{ text: 'fifteenfold', size: '0' }, 15],
];

test.each(answered)('%j is answered as by a thread', (params, hits) => {
  const query = queryOf(params);
  const page = quick.search(query);
  expect(page?.hitCount).toBe(hits);
  expect(shown(page)).toEqual(shown(all.search(query, {}, () => undefined)));
  // The second answer comes from cached lists.
  expect(shown(quick.search(query))).toEqual(shown(page));
});

test('an answer for any words and phrases has the same bytes as that of a thread', () => {
  const words = [
    'quench',
    'trip',
    'vacuum',
    'leak',
    'of',
    'quad',
    '1',
    'absent',
    letters(77),
    letters(300),
    letters(700),
  ];
  const clause = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).chain((some) => {
    return fc.constantFrom(some.join(' '), `"${some.join(' ')}"`);
  });
  const paging = { from: fc.constantFrom('0', '1', '30'), size: fc.constantFrom('0', '3', '100') };
  const params = fc.record(
    { title: clause, text: clause, query: clause, sort: fc.constantFrom('up', 'down'), ...paging },
    { requiredKeys: ['sort', 'from', 'size'] },
  );
  let compared = 0;
  fc.assert(
    fc.property(params, (some) => {
      const query = queryOf(some);
      const page = quick.search(query);
      if (!page) return;
      compared += 1;
      expect(shown(page)).toEqual(shown(all.search(query, {}, () => undefined)));
    }),
  );
  expect(compared).toBeGreaterThan(10);
});

test.each<[string, SearchParams, Partial<QueryDefaults>?]>([
  ['a word of many entries', { text: 'beam' }],
  ['a phrase of many entries', { text: '"beam current"' }],
  ['a word of entries that are long together', { text: 'fifteenfold' }],
  ['a phrase in entries that take long to scan', { text: '"fivefold text"' }],
  ['everything', {}],
  ['a wildcard', { text: `${letters(501)}*` }],
  ['a fuzzy word', { text: letters(501), fuzzy: '' }],
  ['many words', { text: Array.from({ length: 49 }, (_, at) => letters(501 + at)).join(' ') }],
  ['a tag', { text: letters(501), tags: 'a' }],
  ['a window', { text: letters(501), start: '2024' }],
  ['an excluded word', { query: `${letters(501)} -beam` }],
  ['a user who must not see a logbook', { text: letters(501) }, { hiddenLogbooks: ['operations'] }],
])('%s is left to a thread', (_, params, defaults) => {
  expect(quick.search(queryOf(params, defaults))).toBeUndefined();
});

test.each([['fifteenfold'], ['"fivefold text"'], ['overlong']])(
  'no document of %s is read before the search is left to a thread',
  (text) => {
    const rows = vi.spyOn(documents, 'get');
    expect(quick.search(queryOf({ text }))).toBeUndefined();
    const read = rows.mock.results.flatMap(({ value }) => Object.values(value ?? {}));
    rows.mockRestore();
    expect(read.filter((one) => one instanceof Uint8Array)).toEqual([]);
  },
);

test('a search is left to a thread until all writes are indexed, and then finds them', async () => {
  const query = queryOf({ text: 'novel' });
  expect(quick.search(query)?.hitCount).toBe(0);
  await storage.write((tx) => tx.entries.insert(entryDraft({ description: 'a novel fault' })));
  expect(quick.search(query)).toBeUndefined();
  await waitUntilIndexed();
  expect(quick.search(query)?.hitCount).toBe(1);
});

test('a search that finds a damaged entry is left to a thread', async () => {
  const writer = await openDatabase(join(dir, 'logbook.sqlite'), 'writer');
  const change = (from: string, to: string) =>
    writer.run('UPDATE entry SET document = replace(document, ?, ?) WHERE id = 502', from, to);
  const query = queryOf({ text: letters(501) });
  expect(quick.search(query)?.hitCount).toBe(1);
  change('current', 'currant');
  expect(quick.search(query)).toBeUndefined();
  change('currant', 'current');
  writer.close();
  expect(quick.search(query)?.hitCount).toBe(1);
});

test('a phrase of frequent words is left to a thread when there are too many frequent words to read', async () => {
  const file = join(dir, 'search.sqlite');
  const search = async () => {
    const index = await openIndexForReading(file);
    const page = new QuickSearcher(index, documents).search(queryOf({ text: '"quad 1 vacuum leak"' }));
    index.close();
    return page?.hitCount;
  };
  expect(await search()).toBe(26);
  const writer = await openIndexForWriting(file);
  writer.exec(`INSERT INTO frequent_word (word, from_chunk)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4096) SELECT 'frequent' || i, 0 FROM n`);
  writer.close();
  expect(await search()).toBeUndefined();
});
