import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoredEntry } from '../../src/entries/entry-json.js';
import { NotifierQueue } from '../../src/plugins/notifier-queue.js';
import { call } from '../fixtures/service.js';
import { Site, SiteServer } from './site.js';

/** Posts each entry to a web server. */
const posting = `export default ({ name, settings }) => ({
  async notifier(entry, signal) {
    await fetch(settings.url + name, { method: 'POST', body: JSON.stringify(entry), signal });
  },
  async close() {
    await fetch(settings.url + 'closed');
  },
});`;

let site: Site;
let server: SiteServer;
beforeEach(async () => {
  server = await SiteServer.start();
});
afterEach(async () => {
  await site.remove();
  await server.stop();
});

const notified = () => server.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

test('a notifier receives a new entry as it is stored, once it can be read', async () => {
  site = await Site.make({ 'post.mjs': posting });
  let find: (entry: unknown) => void;
  const found = new Promise<unknown>((resolve) => {
    find = resolve;
  });
  const reading = await SiteServer.start(async ({ body }, response) => {
    if (body !== '') find((await call(`${logbook.base}/logs/${JSON.parse(body).id}`)).body);
    response.end();
  });
  const logbook = await site.start('plugins = post.mjs', `plugin.post.url = ${reading.url}`);
  const entry = await logbook.create({ title: 'New', tags: [{ name: 'alarm' }] });
  const [request] = await reading.waitFor(1);
  expect(JSON.parse(request?.body ?? '')).toEqual(entry);
  expect(await found).toEqual(entry);
  await logbook.stop({ keepData: true });
  await reading.stop();
});

test('edits, groups, added files, repeated creates and failed creates call no notifier', async () => {
  site = await Site.make({ 'post.mjs': posting });
  const logbook = await site.start('plugins = post.mjs', `plugin.post.url = ${server.url}`);
  const again = { headers: { 'idempotency-key': 'once' } };
  const first = await logbook.create({ title: 'first' }, '', again);
  expect((await logbook.create({ title: 'first' }, '', again)).id).toBe(first.id);
  const second = await logbook.create({ title: 'second' });
  const fields = { logbooks: [{ name: 'operations' }] };
  expect((await logbook.post(`/logs/${first.id}`, { ...fields, title: 'edited' })).status).toBe(200);
  expect((await logbook.post('/logs/group', [first.id, second.id])).status).toBe(200);
  expect((await logbook.put('/logs', { title: 'x', logbooks: [{ name: 'nowhere' }] })).status).toBe(400);
  const form = new FormData();
  form.append('file', new File(['x'], 'x.txt'));
  const file = await logbook.call(`/logs/attachments/${first.id}`, { method: 'POST', body: form });
  expect(file.status).toBe(200);
  const reply = await logbook.create({ title: 'reply' }, `?inReplyTo=${first.id}`);
  await logbook.stop({ keepData: true });
  // They are sent in order, but on several connections.
  expect(
    notified()
      .map(({ id }) => id)
      .sort((one, other) => one - other),
  ).toEqual([first.id, second.id, reply.id]);
  expect(server.received.at(-1)?.path).toBe('/closed');
});

test('a notifier that throws, rejects or never settles delays no other, and is logged', async () => {
  site = await Site.make({
    'throws.mjs': `export default { notifier() { throw new Error('boom'); } };`,
    'rejects.mjs': `export default { notifier: async (entry) => { entry.title = ''; throw new Error('boom'); } };`,
    'never.mjs': 'export default { notifier: () => new Promise(() => {}) };',
    'post.mjs': posting,
  });
  const logbook = await site.start(
    'plugins = throws.mjs, rejects.mjs, never.mjs, post.mjs',
    `plugin.post.url = ${server.url}`,
  );
  for (let index = 0; index < 10; index++) await logbook.create({ title: `${index}` });
  await server.waitFor(10);
  expect(
    notified()
      .map(({ title }) => Number(title))
      .sort(),
  ).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await logbook.stop({ keepData: true });
  expect(site.warnings('throws').map(({ err }) => err?.message)).toEqual(Array(10).fill('boom'));
  expect(site.warnings('rejects')).toHaveLength(10);
  // Four calls were aborted, and the queued ones were never made.
  expect(site.warnings('never').map(({ err, entries }) => err?.message ?? entries)).toEqual([
    ...Array(4).fill('the service is stopping'),
    6,
  ]);
});

test('a stop waits for notifiers under way', async () => {
  const slow = await SiteServer.start(({ method }, response) => {
    setTimeout(() => response.end(), method === 'POST' ? 300 : 0);
  });
  site = await Site.make({ 'post.mjs': posting });
  const logbook = await site.start('plugins = post.mjs', `plugin.post.url = ${slow.url}`);
  for (let index = 0; index < 9; index++) await logbook.create();
  await logbook.stop({ keepData: true });
  expect(slow.received.map(({ path }) => path)).toEqual([...Array(9).fill('/post'), '/closed']);
  expect(site.warnings('post')).toEqual([]);
  await slow.stop();
});

test('at most four calls run at a time, in order; a thousand entries wait, and those beyond are dropped and counted', async () => {
  site = await Site.make({});
  const lines: { msg: string; entries?: number }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const begun: number[] = [];
  const events = new EventTarget();
  const notifier = async ({ id }: { readonly id: number }) => {
    begun.push(id);
    if (begun.length <= 4) await once(events, 'go');
  };
  const queue = new NotifierQueue({ name: 'slow', url: 'file:///slow.mjs', plugin: { notifier } }, log);
  for (let id = 1; id <= 1_010; id++) queue.add(new StoredEntry(id, 1, Buffer.from(JSON.stringify({ id }))));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(begun).toEqual([1, 2, 3, 4]);
  expect(lines.map(({ msg }) => msg)).toEqual(['notifier queue full; dropping entries']);
  events.dispatchEvent(new Event('go'));
  await queue.close(10_000);
  expect(begun).toEqual(Array.from({ length: 1_004 }, (_, index) => index + 1));
  expect(lines[1]).toMatchObject({ entries: 6, plugin: 'slow' });
  expect(lines).toHaveLength(2);
});
