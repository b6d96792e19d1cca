import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { entryDraft } from '../fixtures/entries.js';
import { feedProblems, parseFeed } from '../fixtures/feed.js';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({ publicUrl: 'https://log.example.org' });
});
afterAll(() => logbook.stop());
afterEach(() => {
  vi.useRealTimers();
});
const publicBase = 'https://log.example.org/logbook';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('the status of a run is a category of its own domain', async () => {
  const { id } = await logbook.create({ title: 'Scan in a feed' }, '?run=true');
  const feed = async () => (await logbook.get('/logs/rss?title=Scan')).text;
  expect(feedProblems(await feed())).toEqual([]);
  expect(await feed()).toContain('<category domain="run">running</category>');
  await logbook.post(`/logs/${id}/close`, { status: 'failed', blocks: 0 });
  expect(await feed()).toContain('<category domain="run">failed</category>');
});

test('a feed is valid RSS 2.0 and refers to itself, its entries and their first image', async () => {
  const { body: entry } = await logbook.sendForm(
    'PUT',
    {
      title: 'Beam <lost> & found',
      description: 'one\n<script>alert(1)</script> *two*',
      logbooks: [{ name: 'operations' }],
      attachments: [{ filename: 'a.txt' }, { id: 'pic "1" ü', filename: 'b.png' }, { filename: 'c.png' }],
    },
    [
      { name: 'a.txt', content: 'text' },
      { name: 'b.png', content: png },
      { name: 'c.png', content: png },
    ],
  );
  await logbook.create();
  const { text } = await logbook.get('/logs/rss?title=Beam&x=%22%3Eü&level=Info|{Request}');
  expect(feedProblems(text)).toEqual([]);
  const feed = parseFeed(text);
  expect(feed['atom:link']['@href']).toBe(
    `${publicBase}/logs/rss?title=Beam&x=%22%3E%C3%BC&level=Info%7C%7BRequest%7D`,
  );
  expect(feed.link).toBe('https://log.example.org/');
  expect(feed.lastBuildDate).toBe(new Date(entry.createdDate).toUTCString());
  const [item] = feed.item;
  expect(item).toMatchObject({
    title: 'Beam <lost> & found',
    link: `https://log.example.org/entries/${entry.id}`,
    guid: { '#text': `${publicBase}/logs/${entry.id}`, '@isPermaLink': 'false' },
    pubDate: new Date(entry.createdDate).toUTCString(),
    'dc:creator': 'user',
    category: ['Info', 'operations'],
    enclosure: [{ '@length': String(png.length), '@type': 'image/png' }],
  });
  expect(item?.description).toContain('&lt;script&gt;');
  const file = await fetch(item?.enclosure[0]?.['@url'].replace(publicBase, logbook.base) ?? '');
  expect(Buffer.from(await file.arrayBuffer())).toEqual(png);
});

test('a feed of many long entries is rendered in a worker and is valid', async () => {
  const description = 'Vacuum & <gauge> "7"\n'.repeat(450);
  for (let index = 0; index < 20; index++) await logbook.create({ title: `Long ${index}`, description });
  const { text } = await logbook.get('/logs/rss?title=Long');
  expect(feedProblems(text)).toEqual([]);
  expect(parseFeed(text).item.map(({ title }) => title)).toEqual(
    Array.from({ length: 20 }, (_, index) => `Long ${19 - index}`),
  );
});

describe('polling a feed', () => {
  const fetchAgain = async (headers: Record<string, string>, path = '/logs/rss') =>
    (await logbook.get(path, { headers })).status;
  const tagNow = async (path = '/logs/rss') => (await logbook.get(path)).headers.get('etag') ?? '';

  test('304 for its entity tag, until an entry is created, edited or joins a group', async () => {
    const entry = await logbook.create({ title: 'First' });
    for (const change of [
      () => logbook.create({ title: 'Second' }),
      () => logbook.post(`/logs/${entry.id}`, { title: 'Edited', logbooks: [{ name: 'operations' }] }),
      () => logbook.create({ title: 'Reply' }, `?inReplyTo=${entry.id}`),
    ]) {
      const tag = await tagNow();
      const same = await logbook.get('/logs/rss', { headers: { 'if-none-match': `"x", W/${tag}` } });
      expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag]);
      await change();
      expect(await fetchAgain({ 'if-none-match': tag })).toBe(200);
    }
  });

  test('feeds of different searches have different entity tags', async () => {
    const tag = await tagNow('/logs/rss?title=First');
    expect(await fetchAgain({ 'if-none-match': tag }, '/logs/rss?title=Second')).toBe(200);
    expect(await fetchAgain({ 'if-none-match': tag }, '/logs/rss?title=First')).toBe(304);
    expect(await tagNow('/logs/rss?title=First&size=9')).not.toBe(tag);
  });

  test('without an entity tag, 304 for its date once that second is over', async () => {
    // The clock is stopped, so that all of this is in one second.
    vi.useFakeTimers({ toFake: ['Date'] });
    const entry = await logbook.create();
    const recent = await logbook.get('/logs/rss');
    const date = recent.headers.get('last-modified') ?? '';
    expect(Date.parse(date)).toBeLessThan(entry.createdDate);
    expect(await fetchAgain({ 'if-modified-since': date })).toBe(200);
    vi.useRealTimers();
    const atMs = Date.now() - 3_600_000;
    await logbook.service.storage.write(async (tx) => {
      const { id, revision } = await tx.entries.insert(entryDraft({ createdDate: atMs }));
      await tx.feed.append({ kind: 'created', entryId: id, revision, notify: true, atMs });
    });
    const settled = (await logbook.get('/logs/rss')).headers.get('last-modified') ?? '';
    expect(Date.parse(settled)).toBe(Math.floor(atMs / 1_000) * 1_000);
    expect(await fetchAgain({ 'if-modified-since': settled })).toBe(304);
    expect(await fetchAgain({ 'if-modified-since': settled, 'if-none-match': '"other"' })).toBe(200);
    expect(await fetchAgain({ 'if-modified-since': 'nonsense' })).toBe(200);
    await logbook.post(`/logs/${entry.id}`, { title: 'Edited', logbooks: [{ name: 'operations' }] });
    expect(await fetchAgain({ 'if-modified-since': settled })).toBe(200);
  });
});
