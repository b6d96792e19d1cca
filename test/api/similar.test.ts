import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

let dir: string;
let logbook: TestService;
let member: CallOptions;
let other: CallOptions;
const ids: Record<string, number> = {};

beforeAll(async () => {
  dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = Safety Team\nSafety.write = Safety Team\n');
  logbook = await TestService.start({ logbookAccessFile: file });
  for (const name of ['Safety', 'Open']) {
    await logbook.put(`/logbooks/${name}`, { name, owner: 'x' }, { as: 'admin:adminPass' });
  }
  const as = async (userName: string, groups: string[]): Promise<CallOptions> => ({
    as: null,
    headers: { cookie: await sessionOf(logbook, principal(userName, ['USER'], groups)) },
  });
  member = await as('mia', ['safety team']);
  other = await as('otto', []);
  const create = async (name: string, title: string, book = 'Open') => {
    ids[name] = (await logbook.create({ title, logbooks: [{ name: book }] }, '', member)).id;
  };
  await create('leak', 'Water leak at the cooling manifold');
  await create('closed', 'Coolant leak in the closed room', 'Safety');
  await create('laser', 'Laser oscillator realigned');
  await create('power', 'Power failure in the building');
  await create('drip', 'Coolant dripping on the floor');
  await logbook.indexed();
});
afterAll(async () => {
  await logbook?.stop();
  await rm(dir, { recursive: true });
});

interface Similar {
  readonly entry: { readonly id: number; readonly title: string };
  readonly like: readonly string[];
}

const similarTo = async (name: string, options: CallOptions, params = ''): Promise<Similar[]> =>
  (await logbook.get(`/logs/${ids[name]}/similar${params}`, options)).body as Similar[];
const idsOf = (found: readonly Similar[]) => found.map(({ entry }) => entry.id);

test('the most similar entry comes first, with the words by which it is similar', async () => {
  const found = await similarTo('drip', other);
  expect(found[0]).toMatchObject({ entry: { id: ids.leak } });
  expect(found[0]?.like).toEqual(expect.arrayContaining([expect.stringMatching(/leak|Water|cooling/)]));
  // Words without a meaning of their own are never given as a reason.
  expect(found[0]?.like).not.toContain('the');
  expect(idsOf(found)).not.toContain(ids.drip);
});

test('every similar entry has a reason: a word, or the same code', async () => {
  const create = async (title: string, source: string) =>
    (await logbook.create({ title, source, logbooks: [{ name: 'Open' }] }, '', member)).id;
  const amplifier = await create(
    'RF amplifier failed',
    'It switched itself off after injection; heater current small.',
  );
  const pump = await create('Vacuum pump exchanged', 'Ion pump 12 exchanged, pressure back at 1e-9 mbar.');
  const scan = await create('Scan 3 of the undulator gap', 'Gap from 12 to 20 mm.');
  ids.klystron = await create('Klystron 3 tripped after the refill', 'Cathode current was low. Replaced the driver.');
  const code = await create('4711-0815', '');
  ids.sameCode = await create('4711-0815', 'See above.');
  await logbook.indexed();
  const found = idsOf(await similarTo('klystron', other));
  expect(found).toContain(amplifier);
  expect(found).not.toContain(pump);
  expect(found).not.toContain(scan);
  expect(idsOf(await similarTo('sameCode', other))).toContain(code);
});

test('words without meaning in German, French or Italian are never given as a reason', async () => {
  const texts = {
    german: ['Der Druck ist nach der Wartung noch nicht stabil', 'Druck auch nach dem Abpumpen noch nicht stabil'],
    french: [
      'La pression est instable avec cette vanne, mais sans fuite',
      'Pression instable avec la vanne, sans fuite',
    ],
    italian: [
      'Pressione della camera ancora instabile dopo il guasto',
      'Camera: pressione ancora instabile dopo una prova',
    ],
  };
  for (const [language, [first = '', second = '']] of Object.entries(texts)) {
    const { id } = await logbook.create({ title: first, logbooks: [{ name: 'Open' }] }, '', member);
    ids[language] = (await logbook.create({ title: second, logbooks: [{ name: 'Open' }] }, '', member)).id;
    await logbook.indexed();
    const found = (await similarTo(language, other)).find(({ entry }) => entry.id === id);
    expect(found?.like.join().toLowerCase()).toMatch(/druck|stabil|press|vanne|fuite|camera/);
    expect(found?.like.join()).not.toMatch(/\b(?:der|nach|noch|nicht|avec|cette|mais|sans|della|ancora|dopo)\b/);
  }
});

test('an entry that the reader must not see is not found, and has no similar entries', async () => {
  expect(idsOf(await similarTo('drip', member))).toContain(ids.closed);
  expect(idsOf(await similarTo('drip', other))).not.toContain(ids.closed);
  expect(await logbook.get(`/logs/${ids.closed}/similar`, other)).toMatchObject({ status: 404 });
});

test('meaning= finds other words, and leaves out what the words of the search find', async () => {
  const search = async (query: string) =>
    (await logbook.get(`/logs/search?query=${query}&meaning=electricity outage`, other)).body as {
      logs: { id: number }[];
      byMeaning: Similar[];
    };
  expect(idsOf((await search('electricity outage')).byMeaning)[0]).toBe(ids.power);
  const byWords = await search('failure');
  expect(byWords.logs.map(({ id }) => id)).toEqual([ids.power]);
  expect(idsOf(byWords.byMeaning)).not.toContain(ids.power);
  expect((await logbook.get('/logs/search?query=failure', other)).body).not.toHaveProperty('byMeaning');
});

test('filters apply, and an edited entry is compared by its new text', async () => {
  expect(idsOf(await similarTo('drip', member, '?logbooks=Safety'))).toEqual([ids.closed]);
  const edit = { title: 'Laser seed signal lost', source: '', logbooks: [{ name: 'Open' }] };
  await logbook.post(`/logs/${ids.leak}`, edit, member);
  expect(idsOf(await similarTo('drip', other))).not.toContain(ids.leak);
  await logbook.indexed();
  expect(idsOf(await similarTo('laser', other))[0]).toBe(ids.leak);
});

test('a rare word counts more than frequent ones, also in closed logbooks, which change nothing for other readers', async () => {
  const create = (title: string, book = 'Open') => logbook.create({ title, logbooks: [{ name: book }] }, '', member);
  const { id } = await create('Zorb pumps valves gauges');
  for (let number = 1; number <= 12; number++) await create(`Pump valve gauge ${number}`);
  const found = async (options: CallOptions) => {
    await logbook.indexed();
    const { body } = await logbook.get('/logs/search?meaning=zorb pump valve gauge', options);
    return idsOf((body as { byMeaning: Similar[] }).byMeaning);
  };
  const before = await found(other);
  expect(before[0]).toBe(id);
  expect((await found(member))[0]).toBe(id);
  for (let number = 1; number <= 12; number++) await create(`Zorb ${number}`, 'Safety');
  expect(await found(other)).toEqual(before);
  expect((await found(member))[0]).not.toBe(id);
});

test('a word that only hidden entries have displaces no other word', async () => {
  const numbers = Array.from({ length: 12 }, (_, at) => String(71 + at));
  const create = (title: string, book = 'Open') => logbook.create({ title, logbooks: [{ name: book }] }, '', member);
  const ids = new Map<number, string>();
  for (const number of numbers) ids.set((await create(`Shutter ${number}`)).id, number);
  const found = async (words: readonly string[]) => {
    await logbook.indexed();
    const meaning = ['hush', ...words, 'shutter'].join(' ');
    const { body } = await logbook.get(`/logs/search?meaning=${meaning}`, other);
    return idsOf((body as { byMeaning: Similar[] }).byMeaning);
  };
  // The first one would be the first to lose its word.
  const first = ids.get((await found(numbers))[0] ?? 0) ?? '';
  const words = [...numbers.filter((number) => number !== first), first];
  const before = await found(words);
  await create('Hush', 'Safety');
  expect(await found(words)).toEqual(before);
});

test('an entry whose title was removed is no longer found by it', async () => {
  const body = { reason: 'wrong', title: true, text: false, properties: false };
  const redacted = await logbook.post(`/logs/${ids.power}/redaction`, body, { as: 'admin:adminPass' });
  expect(redacted.status).toBe(200);
  const found = async () =>
    (
      (await logbook.get('/logs/search?query=nothing&meaning=electricity outage', other)).body as {
        byMeaning: Similar[];
      }
    ).byMeaning;
  expect(idsOf(await found())).not.toContain(ids.power);
  await logbook.indexed();
  expect(idsOf(await found())).not.toContain(ids.power);
});

test('the same entries are similar after a restart', async () => {
  const data = await makeTempDir();
  const first = await TestService.start({}, data);
  const leak = await first.create({ title: 'Water leak at the cooling manifold' });
  const drip = await first.create({ title: 'Coolant dripping on the floor' });
  await first.create({ title: 'Laser realigned' });
  await first.indexed();
  const similar = async (service: TestService) => (await service.get(`/logs/${leak.id}/similar`)).body as Similar[];
  const before = await similar(first);
  expect(idsOf(before)).toEqual([drip.id]);
  await first.stop({ keepData: true });
  const again = await TestService.start({}, data);
  expect(await similar(again)).toEqual(before);
  await again.stop();
});
