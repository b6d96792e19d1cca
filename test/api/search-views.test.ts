import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
});
afterAll(() => logbook?.stop());

const get = (path: string, params: Record<string, string>) => logbook.get(`${path}?${new URLSearchParams(params)}`);
const pages = ['/logs', '/logs/search'];
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
const logsOf = ({ body }: { body: any }) => (Array.isArray(body) ? body : body.logs);

describe.each(pages)('%s', (path) => {
  test('view=list: every field but the texts, and a snippet', async () => {
    const entry = await logbook.create({ title: 'Viewed', source: `**Listed** ${'word '.repeat(200)}` });
    const { source: _source, description: _description, ...fields } = entry;
    const [hit] = logsOf(await get(path, { text: 'listed', view: 'list' }));
    expect(hit).toMatchObject(fields);
    expect(hit).not.toHaveProperty('source');
    expect(hit).not.toHaveProperty('description');
    expect(hit).not.toHaveProperty('highlights');
    expect(hit.snippet).toMatch(/^Listed word .* word…$/);
    expect(hit.snippet.length).toBeLessThanOrEqual(300);
  });

  test('highlight=true: the matches in title and snippet, in addition to the texts', async () => {
    const entry = await logbook.create({ title: 'Überdruck *now*', source: 'x **überdruck** <b>now</b>' });
    const [hit] = logsOf(await get(path, { query: 'uberdruck', highlight: 'true', size: '1' }));
    expect(hit).toMatchObject(entry);
    expect(hit.highlights).toEqual({ title: [[0, 9]], snippet: [[2, 11]] });
    expect(hit.snippet).toBe(entry.description);
  });

  test('400 search.bad-view for an unknown view', async () => {
    for (const params of [{ view: 'table' }, { highlight: 'bold' }]) {
      expect(await get(path, params)).toMatchObject({ status: 400, body: { code: 'search.bad-view' } });
    }
  });

  test('without a view, the entries are the stored bytes', async () => {
    const word = `plainly${path.length}`;
    const { id } = await logbook.create({ title: 'Plain', source: word });
    const entry = await logbook.get(`/logs/${id}`);
    for (const params of [{}, { view: '' }, { highlight: 'false' }] as Record<string, string>[]) {
      const { text } = await get(path, { text: word, ...params });
      expect(text).toBe(path === '/logs' ? `[${entry.text}]` : `{"hitCount":1,"logs":[${entry.text}]}`);
    }
  });

  test('a page of many megabytes is complete and in order, in every view', async () => {
    const title = `Long page ${path}`;
    const ids: number[] = [];
    for (let at = 0; at < 5; at++)
      ids.unshift((await logbook.create({ title, source: `${at} ${'x'.repeat(500_000)}` })).id);
    for (const params of [{ highlight: 'true' }, { view: 'list' }, { view: 'list', highlight: 'true' }]) {
      const hits = logsOf(await get(path, { title: `"${title}"`, ...params }));
      expect(hits.map(({ id }: { id: number }) => id)).toEqual(ids);
      expect(hits.every(({ snippet }: { snippet: string }) => /^\d x{100,}…$/.test(snippet))).toBe(true);
    }
  });
});

describe('threads', () => {
  test('a hit names its thread, group=thread finds one entry of each, and /threads lists all', async () => {
    const first = await logbook.create({ title: 'Threaded first' });
    const reply = await logbook.create({ title: 'Threaded reply' }, `?inReplyTo=${first.id}`, {
      as: 'admin:adminPass',
    });
    const alone = await logbook.create({ title: 'Threaded alone' });
    const groupId = reply.properties[0]?.attributes[0]?.value ?? '';
    const thread = { id: groupId, size: 2, lastDate: reply.createdDate, lastOwner: 'admin' };

    const all = (await get('/logs/search', { title: 'threaded', view: 'list' })).body;
    expect(all).toMatchObject({
      hitCount: 3,
      asOf: alone.id,
      logs: [
        { id: alone.id, thread: null },
        { id: reply.id, thread: { ...thread, position: 2 } },
        { id: first.id, thread: { ...thread, position: 1 } },
      ],
    });
    const grouped = (await get('/logs/search', { title: 'threaded', group: 'thread' })).body;
    expect(grouped).toMatchObject({
      hitCount: 2,
      logs: [
        { id: alone.id, source: '' },
        { id: reply.id, description: '' },
      ],
    });
    const [only] = (await get('/logs', { title: 'threaded first', group: 'thread' })).body;
    expect(only).toMatchObject({ id: first.id, thread: { size: 2, position: 1 } });

    const { body } = await logbook.get(`/threads/${groupId.toUpperCase()}?size=1&page=2&view=list&sort=down`);
    expect(body).toMatchObject({ hitCount: 2, asOf: alone.id, logs: [{ id: reply.id, snippet: '' }] });
    expect(body.logs).toHaveLength(1);
    for (const unknown of ['nothing', '*', '%20', '%2F']) {
      expect(await logbook.get(`/threads/${unknown}`)).toMatchObject({ status: 200, body: { hitCount: 0, logs: [] } });
    }
    expect(await logbook.get(`/threads/${groupId}?size=x`)).toMatchObject({ status: 400 });
  });
});

describe('asOf', () => {
  test('later pages and counts stay at the moment of the first, whatever is created', async () => {
    const made = [];
    for (const at of [1, 2, 3]) made.unshift((await logbook.create({ title: `Steady ${at}` })).id);
    const first = (await get('/logs/search', { title: 'steady', size: '2', asOf: 'now' })).body;
    expect(first).toMatchObject({ hitCount: 3, asOf: made[0] });
    const later = await logbook.create({ title: 'Steady 4' }, `?inReplyTo=${made[0]}`);
    for (const indexed of [false, true]) {
      if (indexed) await logbook.service.searchIndex.waitUntilIndexed();
      const params = { title: 'steady', size: '2', page: '2', asOf: String(first.asOf), view: 'list' };
      const second = (await get('/logs/search', params)).body;
      expect(second).toMatchObject({ hitCount: 3, asOf: first.asOf, logs: [{ id: made[2] }] });
      const [newest] = (await get('/logs', { title: 'steady', asOf: String(first.asOf), view: 'list' })).body;
      expect(newest).toMatchObject({ id: made[0], thread: null });
      expect((await get('/logs/facets', { title: 'steady', asOf: String(first.asOf) })).body.hitCount).toBe(3);
    }
    expect((await get('/logs/search', { title: 'steady' })).body.logs[0].id).toBe(later.id);
  });

  test('400 search.bad-position for anything but a position', async () => {
    for (const asOf of ['-1', 'yesterday', '1.5']) {
      expect(await get('/logs', { asOf })).toMatchObject({ status: 400, body: { code: 'search.bad-position' } });
    }
  });
});
