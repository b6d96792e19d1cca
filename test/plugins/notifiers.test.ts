import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoredEntry } from '../../src/entries/entry-json.js';
import { NotifierQueue } from '../../src/plugins/notifier-queue.js';
import { call } from '../fixtures/service.js';
import { Site, SiteServer } from './site.js';

/** Says what it is told by a web request. */
const telling = `export default ({ name, settings }) => ({
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

const told = () => server.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

test('a notifier is told of a new entry as it is stored, when it is stored', async () => {
  site = await Site.make({ 'tell.mjs': telling });
  let find: (entry: unknown) => void;
  const found = new Promise<unknown>((resolve) => {
    find = resolve;
  });
  const reading = await SiteServer.start(async ({ body }, response) => {
    if (body !== '') find((await call(`${logbook.base}/logs/${JSON.parse(body).id}`)).body);
    response.end();
  });
  const logbook = await site.start('plugins = tell.mjs', `plugin.tell.url = ${reading.url}`);
  const entry = await logbook.create({ title: 'New', tags: [{ name: 'alarm' }] });
  const [asked] = await reading.asked(1);
  expect(JSON.parse(asked?.body ?? '')).toEqual(entry);
  expect(await found).toEqual(entry);
  await logbook.stop({ keepData: true });
  await reading.stop();
});

test('edits, groups, files added later, repeats of a create and failed creates tell nobody', async () => {
  site = await Site.make({ 'tell.mjs': telling });
  const logbook = await site.start('plugins = tell.mjs', `plugin.tell.url = ${server.url}`);
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
  expect(told().map(({ id }) => id)).toEqual([first.id, second.id, reply.id]);
  expect(server.received.at(-1)?.path).toBe('/closed');
});

test('a notifier that throws, rejects or never settles holds up nobody, and is in the log', async () => {
  site = await Site.make({
    'throws.mjs': `export default { notifier() { throw new Error('boom'); } };`,
    'rejects.mjs': `export default { notifier: async (entry) => { entry.title = ''; throw new Error('boom'); } };`,
    'never.mjs': 'export default { notifier: () => new Promise(() => {}) };',
    'tell.mjs': telling,
  });
  const logbook = await site.start(
    'plugins = throws.mjs, rejects.mjs, never.mjs, tell.mjs',
    `plugin.tell.url = ${server.url}`,
  );
  for (let index = 0; index < 10; index++) await logbook.create({ title: `${index}` });
  await server.asked(10);
  expect(
    told()
      .map(({ title }) => Number(title))
      .sort(),
  ).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await logbook.stop({ keepData: true });
  expect(site.warnings('throws').map(({ err }) => err?.message)).toEqual(Array(10).fill('boom'));
  expect(site.warnings('rejects')).toHaveLength(10);
  // Four were cut off, and those behind them were never told.
  expect(site.warnings('never').map(({ err, entries }) => err?.message ?? entries)).toEqual([
    ...Array(4).fill('the service stops'),
    6,
  ]);
});

test('the stop of the service waits for those that are being told', async () => {
  const slow = await SiteServer.start(({ method }, response) => {
    setTimeout(() => response.end(), method === 'POST' ? 300 : 0);
  });
  site = await Site.make({ 'tell.mjs': telling });
  const logbook = await site.start('plugins = tell.mjs', `plugin.tell.url = ${slow.url}`);
  for (let index = 0; index < 9; index++) await logbook.create();
  await logbook.stop({ keepData: true });
  expect(slow.received.map(({ path }) => path)).toEqual([...Array(9).fill('/tell'), '/closed']);
  expect(site.warnings('tell')).toEqual([]);
  await slow.stop();
});

test('at most four at a time, in their order, a thousand wait, and those beyond are counted', async () => {
  site = await Site.make({});
  const lines: { msg: string; entries?: number }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const begun: number[] = [];
  const events = new EventTarget();
  const notifier = async ({ id }: { readonly id: number }) => {
    begun.push(id);
    if (begun.length <= 4) await once(events, 'go');
  };
  const queue = new NotifierQueue({ name: 'slow', plugin: { notifier } }, log);
  for (let id = 1; id <= 1_010; id++) queue.add(new StoredEntry(id, 1, Buffer.from(JSON.stringify({ id }))));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(begun).toEqual([1, 2, 3, 4]);
  expect(lines.map(({ msg }) => msg)).toEqual(['a notifier is too slow and misses new entries']);
  events.dispatchEvent(new Event('go'));
  await queue.close(10_000);
  expect(begun).toEqual(Array.from({ length: 1_004 }, (_, index) => index + 1));
  expect(lines[1]).toMatchObject({ entries: 6, plugin: 'slow' });
  expect(lines).toHaveLength(2);
});
