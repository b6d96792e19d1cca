import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readVectorTable } from '../../packages/token-vectors/vector-table.js';
import { openIndexForReading } from '../../src/engines/sqlite/search/index/index-database.js';
import { indexFilesIn } from '../../src/engines/sqlite/search/index/index-files.js';
import { readLearnedWords } from '../../src/engines/sqlite/search/index/learned-words.js';
import { entryDraft, logbook as inLogbook } from '../fixtures/entries.js';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

interface Similar {
  readonly entry: { readonly id: number; readonly title: string };
  readonly like: readonly string[];
}

const leaks = ['water leak at the pipe', 'coolant dripping on the floor', 'wet floor below the valve'];
const lasers = ['laser mirror misaligned', 'optical cavity lost its lock', 'seed light out of phase'];
const others = ['Shift handover done', 'Injection efficiency measured', 'Archiver disk cleaned', 'Camera images saved'];
const target = 'Wet ground, coolant dripping from above';
const secret = 'Krelpforn';

let dir: string;
let logbook: TestService;
let member: CallOptions;
let other: CallOptions;

beforeAll(async () => {
  dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = Safety Team\nSafety.write = Safety Team\n');
  logbook = await TestService.start({ logbookAccessFile: file });
  for (const name of ['Safety', 'Open', 'Asked']) {
    await logbook.put(`/logbooks/${name}`, { name, owner: 'x' }, { as: 'admin:adminPass' });
  }
  await store('Asked', [target, 'Optical mirror of the laser realigned', 'Handover to the next shift']);
  await store(
    'Open',
    Array.from({ length: 5 }, (_, at) => `${secret} ${lasers[at % 3]}`),
  );
  for (let round = 0; round < 20; round++) {
    await store('Open', [`Zorbquix ${leaks[round % 3]}`, `Vlimdrat ${lasers[round % 3]}`]);
    await store('Safety', [`Quaxel ${leaks[round % 3]}`]);
    await store(
      'Open',
      others.flatMap((text) => [`${text} again`, text, `${text} today`]),
    );
  }
  const as = async (userName: string, groups: string[]): Promise<CallOptions> => ({
    as: null,
    headers: { cookie: await sessionOf(logbook, principal(userName, ['USER'], groups)) },
  });
  member = await as('mia', ['safety team']);
  other = await as('otto', []);
  await logbook.indexed();
});
afterAll(async () => {
  await logbook?.stop();
  await rm(dir, { recursive: true });
});

const store = (name: string, titles: readonly string[]) =>
  logbook.service.storage.write(async (tx) => {
    for (const title of titles) {
      await tx.entries.insert(entryDraft({ title, description: '', source: '', logbooks: [inLogbook(name)] }));
    }
  });

/** Finds entries of the logbook in which no entry contains the word. */
async function findByMeaning(word: string, options: CallOptions): Promise<Similar[]> {
  const { body } = await logbook.get(`/logs/search?logbooks=Asked&meaning=${word}`, options);
  return (body as { byMeaning: Similar[] }).byMeaning;
}
const titlesOf = (found: readonly Similar[]) => found.map(({ entry }) => entry.title);

/** Lists the words that the search index in use has learned. */
async function learnedWords(): Promise<string[]> {
  const index = await openIndexForReading(indexFilesIn(logbook.dataDir).find(existsSync) ?? '');
  try {
    return [...readVectorTable(readLearnedWords(index) ?? new Uint8Array()).rows.keys()];
  } finally {
    index.close();
  }
}

test('a word of the site that no public model has finds entries that say it otherwise', async () => {
  const found = await findByMeaning('zorbquix', member);
  expect(titlesOf(found)).toEqual([target]);
  // The reason is a word of the entry that is shown.
  for (const { entry, like } of found) for (const word of like) expect(entry.title).toContain(word);
  expect(titlesOf(await findByMeaning('krelpbar', member))).not.toContain(target);
});

test('a word that only hidden entries explain finds nothing', async () => {
  expect(titlesOf(await findByMeaning('quaxel', member))).toEqual([target]);
  expect(await findByMeaning('quaxel', other)).toEqual([]);
});

test('after a restart, and after the index was rebuilt, the same entries are found', async () => {
  const words = ['zorbquix', 'vlimdrat', 'quaxel'];
  const find = async () => Promise.all(words.map((word) => findByMeaning(word, { as: 'admin:adminPass' })));
  const [before, learned] = [await find(), await learnedWords()];
  for (const isRemoved of [false, true]) {
    const { dataDir } = logbook;
    await logbook.stop({ keepData: true });
    if (isRemoved) for (const file of indexFilesIn(dataDir)) await rm(file, { force: true });
    logbook = await TestService.start({ logbookAccessFile: join(dir, 'access.properties') }, dataDir);
    await logbook.indexed();
    expect(await find()).toEqual(before);
    expect(await learnedWords()).toEqual(learned);
  }
});

test('a word is forgotten once it was redacted', async () => {
  const word = secret.toLowerCase();
  expect(await learnedWords()).toContain(word);
  const { ids } = await logbook.search(`title=${secret}&size=10`);
  expect(ids).toHaveLength(5);
  const body = { reason: 'wrong', title: true, text: false, properties: false };
  for (const id of ids) {
    expect((await logbook.post(`/logs/${id}/redaction`, body, { as: 'admin:adminPass' })).status).toBe(200);
  }
  await expect
    .poll(async () => {
      const words = await learnedWords().catch((): string[] => []);
      return words.includes('zorbquix') && !words.includes(word);
    })
    .toBe(true);
});
