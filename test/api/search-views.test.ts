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

  test('highlight=true: the matches in title and snippet, beside the texts', async () => {
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
