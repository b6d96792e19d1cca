import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

/** A reader learns nothing from a search about the entries of a logbook that is closed to them. */
describe('searches of a reader to whom a logbook is closed', () => {
  let dir: string;
  let logbook: TestService;
  let member: CallOptions;
  let other: CallOptions;
  let ids: { question: number; closedReply: number; openReply: number; moved: number };
  let groupId: string;

  beforeAll(async () => {
    dir = await makeTempDir();
    const file = join(dir, 'access.properties');
    await writeFile(file, 'Safety.read = Safety Team\nSafety.write = Safety Team\n');
    logbook = await TestService.start({ logbookAccessFile: file });
    for (const name of ['Safety', 'Open']) {
      await logbook.put(`/logbooks/${name}`, { name, owner: 'x' }, { as: 'admin:adminPass' });
    }
    await logbook.put('/tags/hushtag', { name: 'hushtag' }, { as: 'admin:adminPass' });
    const as = async (userName: string, groups: string[]): Promise<CallOptions> => ({
      as: null,
      headers: { cookie: await sessionOf(logbook, principal(userName, ['USER'], groups)) },
    });
    member = await as('mia', ['safety team']);
    other = await as('otto', []);
    const create = async (fields: object, book: string, options: CallOptions, query = '') =>
      logbook.create({ ...fields, logbooks: [{ name: book }] }, query, options);

    const question = await create({ title: 'Openword question' }, 'Open', other);
    const secret = {
      title: 'Hushtitle Openword',
      source: 'hushtext',
      level: 'Hushlevel',
      tags: [{ name: 'hushtag' }],
      properties: [{ name: 'resource', attributes: [{ name: 'name', value: 'hushvalue' }] }],
    };
    const reply = `?inReplyTo=${question.id}`;
    const closedReply = await create(secret, 'Safety', member, reply);
    const openReply = await create({ title: 'Openword answer' }, 'Open', member, reply);
    // An open entry, of which one earlier version was in the closed logbook.
    const moved = await create({ title: 'Movedword', source: 'before' }, 'Open', member);
    const inBook = (name: string) => ({ logbooks: [{ name }] });
    for (const [title, book] of [
      ['Movedword hushmoved', 'Safety'],
      ['Movedword', 'Open'],
    ] as const) {
      await logbook.post(`/logs/${moved.id}`, { title, source: title, ...inBook(book) }, member);
    }
    await create({ title: 'Hushlast' }, 'Safety', member, reply);
    ids = { question: question.id, closedReply: closedReply.id, openReply: openReply.id, moved: moved.id };
    groupId = closedReply.properties.find(({ name }) => name === 'Log Entry Group')?.attributes[0]?.value ?? '';
  });
  afterAll(async () => {
    await logbook.stop();
    await rm(dir, { recursive: true });
  });

  const get = async (path: string, options: CallOptions) => {
    const answer = await logbook.get(path, options);
    return { ...answer, seen: /hush/i.exec(answer.text)?.input };
  };

  describe.each(['not yet', 'all'])('indexed: %s', (indexed) => {
    beforeAll(async () => {
      if (indexed === 'all') await logbook.service.searchIndex.waitUntilIndexed();
    });

    test('threads count and place the entries that the reader may read, and name no other', async () => {
      const { body, seen } = await get('/logs/search?title=openword&view=list&highlight=true&sort=up', other);
      expect(seen).toBeUndefined();
      expect(body).toMatchObject({
        hitCount: 2,
        asOf: ids.moved,
        logs: [
          { id: ids.question, thread: { size: 2, position: 1, lastOwner: 'mia' } },
          { id: ids.openReply, thread: { size: 2, position: 2 } },
        ],
      });
      expect(body.logs[0].thread.lastDate).toBe(body.logs[1].createdDate);
      const all = (await get('/logs/search?title=openword&view=list', member)).body;
      expect(all).toMatchObject({ hitCount: 3, logs: [{ thread: { size: 4, position: 3 } }, {}, {}] });
      expect(all.asOf).toBeGreaterThan(ids.moved);

      const grouped = (await get('/logs/search?group=thread&query=openword', other)).body;
      expect(grouped).toMatchObject({ hitCount: 1, logs: [{ id: ids.openReply }] });
      const thread = await get(`/threads/${groupId}?view=list`, other);
      expect(thread).toMatchObject({ seen: undefined, body: { hitCount: 2, asOf: ids.moved } });
      expect((await get(`/threads/${groupId}`, member)).body.hitCount).toBe(4);
      expect((await get(`/logs/search?asOf=${ids.closedReply}&query=hushtext&view=list`, other)).body).toMatchObject({
        hitCount: 0,
        logs: [],
      });
    });

    test('a thread of which the reader may read only one entry counts as none', async () => {
      const params = `view=list&query=openword&end=${(await get(`/logs/${ids.question}`, other)).body.createdDate}`;
      const { body } = await get(`/logs/search?${params}&asOf=${ids.question}`, other);
      expect(body.logs).toMatchObject([{ id: ids.question, thread: null }]);
    });

    test('facets count nothing of it, with and without their own filters, in no bucket', async () => {
      for (const params of [
        '',
        'interval=auto&buckets=10&start=1 day',
        'facetsExcludeOwn=true&logbooks=Safety',
        'facetsExcludeOwn=true&query=logbook=Safety -level=Info',
        'facetsExcludeOwn=true&tags=hushtag&level=Hushlevel&owner=mia',
        'facetsExcludeOwn=true&properties=resource.name.hushvalue',
      ]) {
        const { body, seen, text } = await get(`/logs/facets?${params}`, other);
        expect(seen, params).toBeUndefined();
        expect(text, params).not.toContain('Safety');
        expect(body.properties, params).toEqual({ distinct: 0, values: [] });
        expect(body.hitCount, params).toBeLessThanOrEqual(3);
        const inBuckets = body.time.buckets.flatMap(({ levels }: { levels: object }) => Object.values(levels));
        expect(inBuckets.reduce((sum: number, one: number) => sum + one, 0)).toBe(body.hitCount);
      }
      const { body, text } = await get('/logs/facets', member);
      expect(text).toContain('Hushlevel');
      expect(body.properties).toEqual({ distinct: 1, values: [{ name: 'resource', count: 1 }] });
    });

    test('neither suggestions nor their counts contain anything of it', async () => {
      for (const key of ['owner', 'tag', 'logbook', 'level', 'property', 'title', 'text']) {
        for (const q of ['', 'hush', 'safety', 'resource.name.', 'o']) {
          const { seen, text } = await get(`/suggest?key=${key}&q=${q}`, other);
          expect(seen, `${key} ${q}`).toBeUndefined();
          expect(text).not.toContain('Safety');
        }
      }
      const counted = async (options: CallOptions) => (await get('/suggest?key=title&q=openword', options)).body;
      expect(await counted(other)).toEqual([{ value: 'Openword', count: 2 }]);
      expect(await counted(member)).toEqual([{ value: 'Openword', count: 3 }]);
      expect((await get('/suggest?key=property', other)).body).toEqual([]);
      expect((await get('/suggest?key=level&q=hush', { as: null })).body).toEqual([]);
    });

    test('filters of the box find nothing of it, also by exclusion, and explain names nothing', async () => {
      for (const query of [
        'logbook=Safety',
        'level=hush*',
        'tag=hushtag',
        'title=hush*',
        'property=resource.name.hush*',
      ]) {
        const { body } = await get(`/logs/search?query=${query}&explain=true&view=list`, other);
        expect(body, query).toMatchObject({ hitCount: 0, explain: { parts: [{ hitCount: 0 }] } });
        expect(Object.keys(body.explain.parts[0])).not.toContain('expansion');
        expect(Object.keys(body.explain.parts[0])).not.toContain('suggestions');
        expect((await get(`/logs/search?query=-${query}`, other)).body.hitCount, query).toBe(3);
      }
    });

    test('a version from a time in the closed logbook looks like one that does not exist', async () => {
      expect((await get(`/logs/${ids.moved}/versions/1`, other)).body).toMatchObject({
        version: 1,
        title: 'Movedword',
      });
      const hidden = await get(`/logs/${ids.moved}/versions/2`, other);
      const missing = await get(`/logs/${ids.moved}/versions/4`, other);
      expect(hidden).toMatchObject({ status: 404, seen: undefined, body: { code: missing.body.code } });
      expect(hidden.body.message.replace('2', '4')).toBe(missing.body.message);
      expect((await get(`/logs/${ids.moved}/versions/2`, member)).body.title).toBe('Movedword hushmoved');
      for (const version of ['1', '2']) {
        const answer = await get(`/logs/${ids.closedReply}/versions/${version}`, other);
        expect(answer).toMatchObject({ status: 404, body: { code: 'entry.not-found' } });
      }
    });
  });

  // Last, because it creates entries.
  test('a level is spelled as in the entries that the reader may read', async () => {
    const spell = (level: string, book: string) =>
      logbook.create({ title: 'Spelled', level, logbooks: [{ name: book }] }, '', member);
    await spell('SpelledLEVEL', 'Safety');
    await logbook.service.searchIndex.waitUntilIndexed();
    await spell('spelledlevel', 'Open');
    for (const _ of ['not indexed', 'indexed']) {
      const facets = (await get('/logs/facets?title=spelled', other)).body;
      expect(facets.levels.values).toEqual([{ name: 'spelledlevel', count: 1 }]);
      const inTime = facets.time.buckets.flatMap(({ levels }: { levels: object }) => Object.keys(levels));
      expect(inTime).toEqual(['spelledlevel']);
      const suggested = (await get('/suggest?key=level&q=spell', other)).body;
      expect(suggested).toEqual([{ value: 'spelledlevel', count: 1 }]);
      expect((await get('/logs/facets?title=spelled', member)).body.levels.values).toMatchObject([{ count: 2 }]);
      await logbook.service.searchIndex.waitUntilIndexed();
    }
  });
});
