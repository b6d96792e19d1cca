import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readVectorTable } from '../../../../../packages/token-vectors/vector-table.js';
import { entryDraft, logbook } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { parseQuery } from '../../../../search/parse-query.js';
import type { Connection } from '../../database/connection.js';
import { openDatabase } from '../../database/open-database.js';
import { documentsFile } from '../../inspect-documents.js';
import { openSqliteStorage } from '../../sqlite-storage.js';
import { EntrySearcher } from '../query/entry-search.js';
import { entryBytes } from './collected-entries.js';
import { LearnedVectors } from './entry-vectors.js';
import { openIndexForReading, openIndexForWriting } from './index-database.js';
import { Indexer } from './indexer.js';
import { readLearnedWords, readLearning } from './learned-words.js';
import { WordLearning } from './word-learning.js';

const proceed = () => undefined;

let dataDir: string;
let indexFile: string;
let documents: Connection;
let index: Connection;
let learning: WordLearning;

beforeEach(async () => {
  dataDir = await makeTempDir();
  await store(0);
  documents = await openDatabase(join(dataDir, documentsFile), 'reader');
  indexFile = join(dataDir, 'another.sqlite');
  index = await openIndexForWriting(indexFile);
  learning = new WordLearning(index, documents);
});
afterEach(async () => {
  for (const connection of [index, documents]) connection.close();
  await rm(dataDir, { recursive: true });
});

async function store(count: number, name = 'open', describe: (at: number) => string = () => ''): Promise<void> {
  const common = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
  const { storage } = await openSqliteStorage({ dataDir, ...common, searchThreads: 0 });
  await storage.write(async (tx) => {
    for (let at = 0; at < count; at++) {
      const title = `Zorbquix ${at % 2 === 0 ? 'water leak' : 'beam trip'}`;
      await tx.entries.insert(entryDraft({ title, description: describe(at), logbooks: [logbook(name)] }));
    }
  });
  await storage.close();
}

function indexAll(): void {
  const indexer = new Indexer(index, documents);
  while (indexer.indexNext(1_000 * entryBytes, proceed).more);
}

/** Indexes and learns until nothing is left; returns how often entries were counted. */
function work(restricted: readonly string[] = []): number {
  indexAll();
  const read = vi.spyOn(documents, 'get');
  while (learning.next(restricted, proceed));
  const counts = read.mock.calls.filter(([sql]) => sql.includes('count(*)')).length;
  read.mockRestore();
  return counts;
}

const wordsOf = (learned: Uint8Array = new Uint8Array()) => [...readVectorTable(learned).rows.keys()];
const countVectors = () => index.get<{ count: number }>('SELECT count(*) AS count FROM entry_vector')?.count;

test('words are first learned from 256 entries, and again when the number of entries has grown by half', async () => {
  await store(255);
  work();
  expect(readLearning(index)).toBeUndefined();
  await store(1);
  work();
  expect(readLearning(index)).toEqual({
    entries: 256,
    upTo: expect.any(Number),
    restricted: '[]',
    refreshedId: newest(),
  });
  await store(127);
  work();
  expect(readLearning(index)).toMatchObject({ entries: 256, refreshedId: newest() });
  await store(1);
  work();
  expect(readLearning(index)).toMatchObject({ entries: 384, upTo: newest(), refreshedId: newest() });
});

const newest = () => documents.get<{ id: number }>('SELECT max(id) AS id FROM entry')?.id;

test('after a gap in the ids, entries are counted again only when enough may have been added', async () => {
  await store(100);
  const writer = await openDatabase(join(dataDir, documentsFile), 'writer');
  writer.run('UPDATE entry SET id = id + 100000 WHERE id > 50');
  writer.run("UPDATE sqlite_sequence SET seq = 100100 WHERE name = 'entry'");
  writer.close();
  expect(work()).toBe(1);
  await store(100);
  expect(work()).toBe(0);
  await store(56);
  expect(work()).toBe(1);
  expect(readLearning(index)).toMatchObject({ entries: 256, refreshedId: newest() });
});

test('entries of restricted logbooks are not used, and words are forgotten when another is restricted', async () => {
  await store(256, 'Safety');
  work();
  const learned = readLearnedWords(index);
  expect(learned?.length).toBeGreaterThan(500);
  learning.next(['safety'], proceed);
  expect(readLearnedWords(index)).toBeUndefined();
  expect(countVectors()).toBe(0);
  work(['safety']);
  expect(readLearnedWords(index)?.length).toBeLessThan(100);
  expect(countVectors()).toBe(256);
  const fewer = readLearnedWords(index);
  work();
  expect(readLearnedWords(index)).toEqual(fewer);
  await store(128, 'Safety');
  work();
  expect(readLearning(index)).toMatchObject({ entries: 384, restricted: '[]' });
  expect(readLearnedWords(index)?.length).toBeGreaterThan(500);
});

test('a logbook that becomes restricted during the first learning is not used', async () => {
  await store(600, 'Safety');
  indexAll();
  expect(learning.next([], proceed)).toBe(true);
  expect(readLearning(index)).toBeUndefined();
  work(['safety']);
  expect(readLearnedWords(index)?.length).toBeLessThan(100);
});

test('once other logbooks are restricted, comparing is unavailable until all entries have new vectors', async () => {
  await store(256, 'Safety');
  work();
  const searcher = new EntrySearcher(index, documents);
  const query = parseQuery({}, { nowMs: 0, zone: 'UTC' });
  const find = (restricted: readonly string[]) =>
    searcher.similar({ to: 'Zorbquix water', query, size: 10 }, restricted, proceed);
  const unavailable = expect.objectContaining({ kind: 'unavailable', code: 'search.unavailable' });
  expect(find([])).toHaveLength(10);
  expect(() => find(['safety'])).toThrow(unavailable);
  while (learning.next(['safety'], proceed)) {
    if ((readLearning(index)?.refreshedId ?? 0) < (newest() ?? 0)) expect(() => find(['safety'])).toThrow(unavailable);
  }
  expect(find(['safety'])).toHaveLength(10);
  expect(find([])).toHaveLength(10);
});

test('each connection has the words of its snapshot of the index, and loads them on first use', async () => {
  await store(256);
  const another = await openIndexForReading(indexFile);
  const learned = new LearnedVectors(another);
  const meaning = () => learned.get().embed([['zorbquix', 1]]);
  another.exec('BEGIN');
  const plain = meaning();
  work();
  expect(meaning()).toEqual(plain);
  another.exec('COMMIT');
  const vector = meaning();
  expect(vector).not.toEqual(plain);
  another.close();
  const restarted = await openIndexForReading(indexFile);
  expect(new LearnedVectors(restarted).get().embed([['zorbquix', 1]])).toEqual(vector);
  restarted.close();
});

test('while the disk is full, the earlier words remain, and new ones are learned once there is space', async () => {
  await store(256);
  work();
  const earlier = readLearnedWords(index);
  const words = Array.from({ length: 200 }, (_, at) => `vok${String.fromCharCode(97 + (at % 20), 97 + at / 20)}`);
  await store(128, 'open', (at) => Array.from({ length: 25 }, (_, word) => words[(at * 25 + word) % 200]).join(' '));
  indexAll();
  const pages = index.get<{ page_count: number }>('PRAGMA page_count')?.page_count;
  index.exec(`PRAGMA max_page_count = ${pages}`);
  const learn = () => {
    while (learning.next([], proceed));
  };
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(learn).toThrow(expect.objectContaining({ kind: 'full' }));
    expect(readLearning(index)).toMatchObject({ entries: 256 });
    expect(readLearnedWords(index)).toEqual(earlier);
  }
  index.exec('PRAGMA max_page_count = 4294967294');
  work();
  expect(readLearning(index)).toMatchObject({ entries: 384, refreshedId: newest() });
  expect(wordsOf(readLearnedWords(index))).toEqual(expect.arrayContaining(['zorbquix', ...words]));
});
