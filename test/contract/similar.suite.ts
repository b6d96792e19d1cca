import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { parseQuery } from '../../src/search/parse-query.js';
import type { SearchParams } from '../../src/search/search-params.js';
import { entryDraft, logbook, tag } from '../fixtures/entries.js';
import type { OpenSearchableStorage, StorageEngine } from './storage.suite.js';

const dayMs = 24 * 3_600_000;

/** Requirements of every search index for similar entries. */
export function similarSuite({ open }: StorageEngine<OpenSearchableStorage>): void {
  let opened: OpenSearchableStorage;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.destroy());

  /** Each test has a logbook of its own. */
  const use = (name: string) => {
    const store = async (fields: Partial<Entry>): Promise<Entry> => {
      const draft = entryDraft({ description: '', source: '', logbooks: [logbook(name)], ...fields });
      return (await opened.storage.write((tx) => tx.entries.insert(draft))).entry;
    };
    const find = async (to: string | number, params: SearchParams = {}, hiddenLogbooks: readonly string[] = []) => {
      await opened.searchIndex.waitUntilIndexed();
      const query = parseQuery({ logbooks: name, ...params }, { nowMs: 0, zone: 'UTC', hiddenLogbooks });
      const found = await opened.searchIndex.similar({ to, query, size: 10 });
      return found.map(({ entry, like }) => ({ ...(entry as Pick<Entry, 'id' | 'title'>), like }));
    };
    const findIds = async (...args: Parameters<typeof find>) => (await find(...args)).map(({ id }) => id);
    return { store, find, findIds };
  };

  test('entries of similar meaning are found without a word in common, each in the form of a list with its reasons', async () => {
    const { store, find } = use('leaks');
    const to = await store({ title: 'Coolant dripping on the floor', description: 'seen at noon' });
    await store({ title: 'Laser oscillator realigned' });
    const { id } = await store({
      title: 'Water leak at a manifold',
      description: 'A small puddle',
      source: 'A *puddle*',
    });
    const [first] = await find(to.id);
    expect(first).toMatchObject({ id, title: 'Water leak at a manifold', snippet: 'A small puddle', thread: null });
    expect(first?.like.join()).toMatch(/leak|Water|puddle/);
    expect(first).not.toHaveProperty('description');
    expect(first).not.toHaveProperty('source');
    expect((await find(to.id)).map((one) => one.id)).not.toContain(to.id);
    expect(await find(999_999)).toEqual([]);
    expect(await find('')).toEqual([]);
  });

  test('entries with a device in common are found, even if they say something else', async () => {
    const { store, find } = use('devices');
    const to = await store({ title: 'Vacuum gauge drifts', devices: ['SR:C03-VA', 'SR:C04-VA'] });
    const { id } = await store({ title: 'Gauges exchanged on Monday', devices: ['SR:C03-VA'] });
    const like = (await find(to.id)).find((one) => one.id === id)?.like;
    expect(like?.[0]).toBe('SR:C03-VA');
  });

  test('an entry with the same code is found, which no vector knows', async () => {
    const { store, find } = use('codes');
    const to = await store({ title: '4711-0815' });
    const { id } = await store({ title: 'Spare part 4711-0815 was ordered' });
    await store({ title: 'Beam dump exchanged' });
    expect((await find(to.id)).map((one) => one.id)).toEqual([id]);
  });

  test('of equally similar entries, the newest comes first', async () => {
    const { store, findIds } = use('equal');
    const ids: number[] = [];
    for (let n = 0; n < 12; n++) ids.push((await store({ title: 'Shutter of the hutch is stuck' })).id);
    expect(await findIds('the shutter is stuck')).toEqual(ids.toReversed().slice(0, 10));
  });

  test('of entries with the same words, those with its tags come first, then those of its level, and those of its time', async () => {
    const { store, findIds } = use('shared');
    const words = { title: 'Vacuum gauge of the cavity drifts' };
    const createdDate = 100 * dayMs;
    const to = await store({ ...words, createdDate, tags: [tag('maintenance'), tag('repair')], level: 'Problem' });
    const drafts = {
      tags: { tags: [tag('maintenance'), tag('repair')] },
      levelAndTime: { level: 'Problem', createdDate: createdDate + dayMs },
      level: { level: 'Problem' },
      plain: {},
    };
    const ids: number[] = [];
    for (const draft of Object.values(drafts)) {
      ids.push((await store({ ...words, createdDate: createdDate + 20 * dayMs, ...draft })).id);
    }
    expect(await findIds(to.id)).toEqual(ids);
  });

  test('the same tags, level and time make no entry similar that says something else', async () => {
    const { store, findIds } = use('different');
    const shared = { tags: [tag('maintenance')], level: 'Problem', createdDate: dayMs };
    const to = await store({ ...shared, title: 'Vacuum gauge of the cavity drifts' });
    await store({ ...shared, title: 'Parking lot closed on Monday' });
    expect(await findIds(to.id)).toEqual([]);
  });

  test('the only similar one among more than a thousand entries is found, even if it is the oldest', async () => {
    const { store, findIds } = use('many');
    const { id } = await store({ title: 'Water leak at the cooling manifold' });
    await opened.storage.write(async (tx) => {
      for (let n = 1; n <= 1_100; n++) {
        await tx.entries.insert(entryDraft({ title: `Undulator gap scan ${n}`, logbooks: [logbook('many')] }));
      }
    });
    expect((await findIds('coolant dripping'))[0]).toBe(id);
  });

  test('filters apply, and entries that contain the words of the search are left out', async () => {
    const { store, findIds } = use('filters');
    const power = await store({ title: 'Power failure in the building', level: 'Problem' });
    const outage = await store({ title: 'Electricity outage of the building', level: 'Info' });
    const text = 'blackout of the electric supply';
    expect((await findIds(text)).toSorted()).toEqual([power.id, outage.id]);
    expect(await findIds(text, { level: 'Problem' })).toEqual([power.id]);
    expect(await findIds(text, { query: '-level=problem' })).toEqual([outage.id]);
    expect(await findIds(text, { query: '-outage' })).toEqual([power.id]);
    expect(await findIds(text, { query: 'failure' })).toEqual([outage.id]);
    expect(await findIds(text, { asOf: String(power.id) })).toEqual([power.id]);
  });

  test('an edited entry is compared by its new text', async () => {
    const { store, findIds } = use('edits');
    const entry = await store({ title: 'Water leak at the manifold' });
    expect(await findIds('coolant is dripping')).toEqual([entry.id]);
    await opened.storage.write((tx) => tx.entries.edit({ ...entry, title: 'Laser seed signal lost' }));
    expect(await findIds('coolant is dripping')).toEqual([]);
    expect(await findIds('no light from the laser')).toEqual([entry.id]);
  });

  test('entries that the reader must not see are not found, and change nothing', async () => {
    const { store, find } = use('*open');
    const closed = (fields: Partial<Entry>) => store({ logbooks: [logbook('closed open')], ...fields });
    const open = (fields: Partial<Entry>) => store({ logbooks: [logbook('open')], ...fields });
    const { id } = await open({ title: 'Zorb pumps valves gauges', tags: [tag('rare')] });
    for (let n = 1; n <= 12; n++) await open({ title: `Pump valve gauge ${n}` });
    const to = await open({ title: 'Zorb pump valve gauge', tags: [tag('rare')] });
    const hidden = ['closed open'];
    const before = [await find('zorb pump valve gauge', {}, hidden), await find(to.id, {}, hidden)];
    expect(before[1]?.[0]?.id).toBe(id);
    // To those who may see them, `zorb` and the tag are no longer rare, and the closed entries are the nearest ones.
    const added: number[] = [];
    for (let n = 1; n <= 12; n++) added.push((await closed({ title: `Zorb pump valve ${n}`, tags: [tag('rare')] })).id);
    expect([await find('zorb pump valve gauge', {}, hidden), await find(to.id, {}, hidden)]).toEqual(before);
    expect(added).toEqual(expect.arrayContaining([(await find(to.id))[0]?.id]));
  });
}
