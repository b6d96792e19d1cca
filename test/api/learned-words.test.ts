import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readVectorTable } from '../../packages/token-vectors/vector-table.js';
import type { Connection } from '../../src/engines/sqlite/database/connection.js';
import { openIndexForReading, readState } from '../../src/engines/sqlite/search/index/index-database.js';
import { indexFilesIn } from '../../src/engines/sqlite/search/index/index-files.js';
import { readLearnedWords, readLearning } from '../../src/engines/sqlite/search/index/learned-words.js';
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
const laser = 'Optical mirror of the laser realigned';
const secret = 'Krelpforn';
const question = 'water leak dripping';
const restricted = 'Safety.read = Safety Team\nSafety.write = Safety Team\n';

let dir: string;
let logbook: TestService;
let member: CallOptions;
let other: CallOptions;

beforeAll(async () => {
  dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, restricted);
  logbook = await TestService.start({ logbookAccessFile: file });
  for (const name of ['Safety', 'Open', 'Asked', 'Probed']) {
    await logbook.put(`/logbooks/${name}`, { name, owner: 'x' }, { as: 'admin:adminPass' });
  }
  await store('Probed', ['Quaxel water', 'Blorbix water']);
  await store('Asked', [target, laser, 'Handover to the next shift']);
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
  await signIn();
  await untilLearned();
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

async function signIn(): Promise<void> {
  const as = async (userName: string, groups: string[]): Promise<CallOptions> => ({
    as: null,
    headers: { cookie: await sessionOf(logbook, principal(userName, ['USER'], groups)) },
  });
  member = await as('mia', ['safety team']);
  other = await as('otto', []);
}

/** Restarts the service with these rules, with its search index or without. */
async function restart(rules: string, keepsIndex = true): Promise<void> {
  const { dataDir } = logbook;
  await logbook.stop({ keepData: true });
  if (!keepsIndex) for (const file of indexFilesIn(dataDir)) await rm(file, { force: true });
  await writeFile(join(dir, 'access.properties'), rules);
  logbook = await TestService.start({ logbookAccessFile: join(dir, 'access.properties') }, dataDir);
  await signIn();
}

/** Waits until words are learned with these restricted logbooks, and all entries are compared with them. */
async function untilLearned(logbooks = '["safety"]'): Promise<void> {
  await logbook.indexed();
  const progress = () =>
    onIndex((index) => {
      const { entries = 0, restricted = '', refreshedId = 0 } = readLearning(index) ?? {};
      return entries > 0 && restricted === logbooks && refreshedId === readState(index).newestId;
    });
  await vi.waitUntil(progress, { timeout: 30_000 });
}

/** Finds entries of a logbook in which no entry contains all the words. */
async function findByMeaning(words: string, options: CallOptions, name = 'Asked'): Promise<Similar[]> {
  const { body } = await logbook.get(`/logs/search?logbooks=${name}&meaning=${encodeURIComponent(words)}`, options);
  return (body as { byMeaning: Similar[] }).byMeaning;
}
const titlesOf = (found: readonly Similar[]) => found.map(({ entry }) => entry.title);

/** Reads the search index in use. */
async function onIndex<T>(read: (index: Connection) => T): Promise<T> {
  const index = await openIndexForReading(indexFilesIn(logbook.dataDir).find(existsSync) ?? '');
  try {
    return read(index);
  } finally {
    index.close();
  }
}

/** Lists the words that the search index in use has learned. */
const learnedWords = () =>
  onIndex((index) => [...readVectorTable(readLearnedWords(index) ?? new Uint8Array()).rows.keys()]);

test('a word of the site that no public model has finds entries that say the same in other words', async () => {
  const found = await findByMeaning('zorbquix', member);
  expect(titlesOf(found)).toEqual([target]);
  // The reason is a word of the entry that is shown.
  for (const { entry, like } of found) for (const word of like) expect(entry.title).toContain(word);
  expect(titlesOf(await findByMeaning('krelpbar', member))).not.toContain(target);
});

test('a word that only hidden entries explain finds nothing', async () => {
  expect(await findByMeaning('quaxel', other)).toEqual([]);
  expect(await findByMeaning('quaxel', member)).toEqual([]);
});

test('a word that only hidden entries explain brings no visible entry nearer to a text', async () => {
  const found = titlesOf(await findByMeaning(question, other, 'Probed'));
  expect(found).toEqual(['Blorbix water', 'Quaxel water']);
});

test('words are learned anew once other logbooks are restricted', async () => {
  await restart('', false);
  await untilLearned('[]');
  expect(titlesOf(await findByMeaning('quaxel', other))).toEqual([target]);
  expect(titlesOf(await findByMeaning(question, other, 'Probed'))).toEqual(['Quaxel water', 'Blorbix water']);
  await restart(restricted);
  // The words learned from these logbooks are still in the index.
  expect((await findByMeaning('quaxel', other)) ?? []).toEqual([]);
  await untilLearned();
  expect(await learnedWords()).not.toContain('quaxel');
  expect(await findByMeaning('quaxel', other)).toEqual([]);
  expect(titlesOf(await findByMeaning(question, other, 'Probed'))).toEqual(['Blorbix water', 'Quaxel water']);
  expect(titlesOf(await findByMeaning('zorbquix', other))).toEqual([target]);
});

test('after a restart, and after the index was rebuilt, the same entries are found', async () => {
  const words = ['zorbquix', 'vlimdrat'];
  const find = async () => Promise.all(words.map((word) => findByMeaning(word, { as: 'admin:adminPass' })));
  const [before, learned] = [await find(), await learnedWords()];
  for (const isRemoved of [false, true]) {
    const { dataDir } = logbook;
    await logbook.stop({ keepData: true });
    if (isRemoved) for (const file of indexFilesIn(dataDir)) await rm(file, { force: true });
    logbook = await TestService.start({ logbookAccessFile: join(dir, 'access.properties') }, dataDir);
    await untilLearned();
    expect(await find()).toEqual(before);
    expect(await learnedWords()).toEqual(learned);
  }
});

test('a word is forgotten once it was redacted', async () => {
  const word = secret.toLowerCase();
  const asAdmin: CallOptions = { as: 'admin:adminPass' };
  expect(await learnedWords()).toContain(word);
  expect(titlesOf(await findByMeaning(word, asAdmin))).toContain(laser);
  const { ids } = await logbook.search(`title=${secret}&size=10`);
  expect(ids).toHaveLength(5);
  const body = { reason: 'wrong', title: true, text: false, properties: false };
  for (const id of ids) {
    expect((await logbook.post(`/logs/${id}/redaction`, body, asAdmin)).status).toBe(200);
  }
  // The index that has learned the word is still in use.
  expect(await findByMeaning(word, asAdmin)).toEqual([]);
  await expect
    .poll(async () => {
      const words = await learnedWords().catch((): string[] => []);
      return words.includes('zorbquix') && !words.includes(word);
    })
    .toBe(true);
});
