import { copyFile, open as openFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Stored, searchByScanning } from '../../../../../test/contract/search-oracle.js';
import { entryDraft, tag } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import type { Entry } from '../../../../entries/entry.js';
import { parseQuery } from '../../../../search/parse-query.js';
import type { SearchIndex } from '../../../../search/search-index.port.js';
import type { SearchParams } from '../../../../search/search-params.js';
import type { Storage } from '../../../storage.port.js';
import { openDatabase } from '../../database/open-database.js';
import { openSqliteStorage } from '../../sqlite-storage.js';
import { openIndexForReading, openIndexForWriting } from '../index/index-database.js';

let dir: string;
let storage: Storage;
let searchIndex: SearchIndex;

const open = async () => {
  ({ storage, searchIndex } = await openSqliteStorage({
    dataDir: dir,
    log: silentLog,
    jobs: silentJobs(),
    integrity: silentIntegrity(),
  }));
};
beforeEach(async () => {
  dir = await makeTempDir();
  await open();
});
afterEach(async () => {
  await storage.close();
  await rm(dir, { recursive: true });
});

const parse = (params: SearchParams) => parseQuery(params, { nowMs: 0, zone: 'UTC' });
async function search(params: SearchParams) {
  const { hitCount, entries } = await searchIndex.search(parse(params));
  if (entries.kind === 'long') return { hitCount, ids: entries.versions.map(({ id }) => id) };
  const ids = (JSON.parse(new TextDecoder().decode(entries.json)) as Entry[]).map(({ id }) => id);
  return { hitCount, ids };
}
const store = (drafts: readonly Partial<Entry>[]) =>
  storage.write(async (tx) => {
    const stored: Stored[] = [];
    for (const draft of drafts) {
      stored.push({ ...(await tx.entries.insert(entryDraft(draft))).entry, isReply: false, fileTexts: {} });
    }
    return stored;
  });

/** Makes the next entry get this id. */
async function goOnAt(id: number): Promise<void> {
  await storage.close();
  const documents = await openDatabase(join(dir, 'logbook.sqlite'), 'writer');
  documents.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'entry'", id - 1);
  documents.close();
  await open();
}

const words = ['beam', 'lost', 'at', 'the', 'dump', 'again', 'night', 'valve'];
/** Texts of frequent words in varying order, some with a rare word. */
const textAt = (at: number) =>
  Array.from({ length: 6 }, (_, place) => words[(at * (place + 1) + place * place + (at >> 3)) % words.length])
    .concat(at % 97 === 0 ? ['rare'] : [])
    .join(' ');

const searches: SearchParams[] = [
  { text: '"beam lost"' },
  { text: '"the dump again"' },
  { text: '"lost rare"' },
  { text: '"beam lost" valve', tags: 'odd' },
  { query: '"at the" -"the dump"' },
  { text: 'beam', sort: 'up', from: '990' },
  { text: 'rare', start: '1970-01-01T00:00:01.500Z', end: '1970-01-01T00:00:02.500Z' },
  { tags: 'odd', from: '1200' },
  { title: 'le*' },
  { text: 'v?lve -', size: '3' },
];

test('phrases of frequent words and entries on both sides of a chunk boundary are found as by a scan', async () => {
  await store([{}]);
  await goOnAt(65_536 - 1_500);
  const draft = (at: number) => ({
    title: `level ${at % 7}`,
    description: textAt(at),
    createdDate: 1_000 + at,
    tags: at % 2 === 1 ? [tag('odd')] : [],
  });
  const entries: Stored[] = [];
  for (const [from, to] of [
    [0, 1_200],
    [1_200, 1_600],
    [1_600, 3_000],
  ] as const) {
    entries.push(...(await store(Array.from({ length: to - from }, (_, at) => draft(from + at)))));
    await searchIndex.waitUntilIndexed();
  }
  const index = await openIndexForReading(join(dir, 'search.sqlite'));
  const frequent = index.all<{ word: string }>('SELECT word FROM frequent_word').map(({ word }) => word);
  expect(frequent).toEqual(expect.arrayContaining(words));
  expect(frequent).not.toContain('tag');
  expect(index.get<{ chunks: number }>('SELECT count(*) AS chunks FROM chunk')?.chunks).toBe(2);
  index.close();
  // Backdated: the last in the order of ids, but not in the order of creation.
  entries.push(...(await store([{ description: 'the dump again lost', createdDate: 1_700 }])));
  const compare = async () => {
    for (const params of searches) {
      const query = parse({ ...params, level: 'Info' });
      const first = { ...entryDraft(), id: 1, version: 1, isReply: false, fileTexts: {} };
      expect({ params, ...(await search(params)) }).toEqual({
        params,
        ...searchByScanning([first, ...entries], query),
      });
    }
  };
  await compare();
  await searchIndex.waitUntilIndexed();
  await compare();
});

test('pairs are complete when one batch learns them and continues in the next chunk', async () => {
  await store([{}]);
  await goOnAt(65_536 - 1_500);
  const entries = await store(
    Array.from({ length: 3_000 }, (_, at) => ({ description: `beam lost ${at}`, createdDate: 2_000 })),
  );
  expect((await search({ text: '"beam lost"', size: '0' })).hitCount).toBe(entries.length);
  await searchIndex.waitUntilIndexed();
  expect((await search({ text: '"beam lost"', size: '0' })).hitCount).toBe(entries.length);
  expect((await search({ text: '"lost beam"', size: '0' })).hitCount).toBe(0);
  // There are ids without an entry between the first entry and the others.
  expect((await search({ start: '1970-01-01', size: '0' })).hitCount).toBe(1 + entries.length);
});

describe('an index that does not match the documents', () => {
  const file = () => join(dir, 'search.sqlite');
  const closed = async (work: () => Promise<void>) => {
    await searchIndex.waitUntilIndexed().catch(() => undefined);
    await storage.close();
    await work();
    await open();
  };
  /** Moves the pages from the write-ahead log into the file. Returns the offset of the first page of the lists. */
  const checkpoint = async () => {
    const index = await openIndexForWriting(file());
    index.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const sql = "SELECT (rootpage - 1) * 4096 AS start FROM sqlite_master WHERE name = 'posting'";
    const { start = 0 } = index.get<{ start: number }>(sql) ?? {};
    index.close();
    return start;
  };
  const found = async () => {
    await searchIndex.waitUntilIndexed();
    return (await search({ text: 'beam' })).ids;
  };

  test('is rebuilt when it is missing', async () => {
    const [entry] = await store([{ description: 'beam' }]);
    await closed(() => rm(file()));
    expect(await found()).toEqual([entry?.id]);
  });

  test('is rebuilt when it cannot be read', async () => {
    const [entry] = await store([{ description: 'beam' }]);
    await closed(() => writeFile(file(), 'no database at all, but long enough to look like a page of one'.repeat(100)));
    expect(await found()).toEqual([entry?.id]);
  });

  test('is rebuilt when a page cannot be read, immediately or at the start after the page was read', async () => {
    const entries = await store(Array.from({ length: 2_000 }, (_, at) => ({ description: `beam word${at}` })));
    await closed(async () => {
      await checkpoint();
      const { size } = await stat(file());
      expect(size).toBeGreaterThan(100_000);
      const handle = await openFile(file(), 'r+');
      // All pages except those with the schema and the state.
      for (let page = 4; page < size / 4_096; page++)
        await handle.write(Buffer.alloc(4_096, 'x'), 0, 4_096, page * 4_096);
      await handle.close();
    });
    await found().catch(() => undefined);
    await closed(async () => undefined).catch(open);
    await searchIndex.waitUntilIndexed();
    expect((await search({ text: 'beam', size: '0' })).hitCount).toBe(entries.length);
  });

  /** Stores entries and overwrites the first page of the lists. Returns how many entries match `beam`. */
  const damage = async () => {
    const entries = await store(Array.from({ length: 2_000 }, (_, at) => ({ description: `beam word${at}` })));
    await closed(async () => {
      const start = await checkpoint();
      const handle = await openFile(file(), 'r+');
      await handle.write(Buffer.alloc(4_096, 'x'), 0, 4_096, start);
      await handle.close();
    });
    return entries.length;
  };

  test('is noticed while the service runs, and rebuilt next to the running one', async () => {
    const entries = await damage();
    const failed = await search({ text: 'beam' }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'search.damaged', cause: { message: expect.stringContaining('malformed') } });
    await store([{ description: 'beam after the damage' }]);
    await expect.poll(async () => (await searchIndex.status()).status).toBe('Connected');
    expect((await search({ text: 'beam', size: '0' })).hitCount).toBe(entries + 1);
    await searchIndex.waitUntilIndexed();
    expect((await search({ text: 'beam', size: '0' })).hitCount).toBe(entries + 1);
    expect((await readdir(dir)).filter((name) => /^search.*(sqlite|damaged)$/.test(name))).toEqual([
      'search-rebuilt.sqlite',
    ]);
    await closed(async () => undefined);
    expect((await search({ text: 'beam', size: '0' })).hitCount).toBe(entries + 1);
  });

  test('after a crash in the middle of rebuilding, the next start completes it', async () => {
    const entries = await damage();
    await search({ text: 'beam' }).catch(() => undefined);
    await storage.close();
    // As a crash leaves it: the damaged file with its mark, and the new one with a part of the entries or none.
    const rebuilt = await openIndexForWriting(join(dir, 'search-rebuilt.sqlite'));
    rebuilt.close();
    await writeFile(`${file()}-damaged`, '');
    await open();
    await searchIndex.waitUntilIndexed();
    expect((await search({ text: 'beam', size: '0' })).hitCount).toBe(entries);
    expect((await readdir(dir)).filter((name) => name.startsWith('search.'))).toEqual([]);
  });

  test('is rebuilt when it has another format', async () => {
    const [entry] = await store([{ description: 'beam' }]);
    await closed(async () => {
      const index = await openIndexForWriting(file());
      index.exec('PRAGMA user_version = 999; DELETE FROM posting');
      index.close();
    });
    expect(await found()).toEqual([entry?.id]);
  });

  test('is rebuilt when older documents were restored', async () => {
    const documents = join(dir, 'logbook.sqlite');
    await store([{ description: 'dump' }]);
    await closed(() => copyFile(documents, `${documents}.old`));
    await store([{ description: 'beam' }]);
    await closed(() => copyFile(`${documents}.old`, documents));
    // As many writes as the index contains, but different ones.
    const [, other] = await store([{ description: 'dump' }, { description: 'beam' }]);
    expect(await found()).toEqual([other?.id]);
    expect(await search({ text: 'dump' })).toMatchObject({ hitCount: 2 });
  });

  test('is kept when it matches', async () => {
    await store([{ description: 'beam' }]);
    await closed(async () => undefined);
    await closed(async () => undefined);
    const index = await openIndexForReading(file());
    expect(index.get<{ generation: number }>('SELECT generation FROM state')?.generation).toBe(1);
    index.close();
  });
});

test('an entry annotated before an edit is no longer found by its previous version', async () => {
  const [entry] = await store([{ description: 'beam', tags: [tag('old')] }]);
  await searchIndex.waitUntilIndexed();
  if (!entry) throw new Error('nothing stored');
  const { isReply: _, fileTexts: __, ...first } = entry;
  await storage.write((tx) => tx.entries.annotate({ ...first, tags: [tag('old'), tag('more')] }));
  await searchIndex.waitUntilIndexed();
  await storage.write((tx) => tx.entries.edit({ ...first, description: 'dump', tags: [tag('new')] }));
  await searchIndex.waitUntilIndexed();
  for (const params of [{ text: 'beam' }, { tags: 'old' }, { tags: 'more' }]) {
    expect({ params, ...(await search(params)) }).toEqual({ params, hitCount: 0, ids: [] });
  }
  expect((await search({ tags: 'new', text: 'dump' })).ids).toEqual([entry.id]);
});

test('words and values removed by an edit are not suggested, and do not prevent suggestions', async () => {
  const drafts = [
    { description: 'quenchh', tags: [tag('alarmm')] },
    { description: 'quench', tags: [tag('alarm')] },
  ];
  const [entry] = await store(drafts);
  await searchIndex.waitUntilIndexed();
  if (!entry) throw new Error('nothing stored');
  const { isReply: _, fileTexts: __, ...first } = entry;
  await storage.write((tx) => tx.entries.edit({ ...first, description: 'again', tags: [] }));
  const suggestions = async (params: SearchParams) =>
    (await searchIndex.search(parse(params), { explain: true })).explanation?.parts.map((part) => part.suggestions);
  for (const text of ['quenchh', 'quenhh']) expect(await suggestions({ text })).toEqual([['quench']]);
  await searchIndex.waitUntilIndexed();
  for (const text of ['quenchh', 'quenhh']) expect(await suggestions({ text })).toEqual([['quench']]);
  for (const tags of ['alarmm', 'alrmm']) expect(await suggestions({ tags })).toEqual([['alarm']]);
});

test('wildcards that match very many words find the same in every sort order', async () => {
  const names = (start: string, from: number) => Array.from({ length: 9_000 }, (_, at) => `${start}${from + at}`);
  const few = [0, 9_000, 18_000].flatMap((from) => [names('a', from), names('b', from)]);
  await store(few.map((some) => ({ description: some.join(' ') })));
  await searchIndex.waitUntilIndexed();
  const [entry] = await store([{ description: few.flat().join(' ') }]);
  await searchIndex.waitUntilIndexed();
  for (const sort of ['down', 'relevance']) expect((await search({ query: 'a* b*', sort })).ids).toEqual([entry?.id]);
});
