import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { ChannelAccessIoc, hasCaproto } from '../fixtures/channel-access-ioc.js';
import { LogbookProcess } from '../fixtures/process.js';
import { PvwsServer, timeOf } from '../fixtures/pvws-server.js';
import { call, makeTempDir } from '../fixtures/service.js';

/** Number of entries. `npm run drill:devices` creates more. */
const entries = Number(process.env.LOGBOOK_TEST_DEVICE_ENTRIES ?? 120);
const rounds = 3;
const perRound = Math.ceil(entries / rounds);
const tickMs = 100;

const isBefore =
  (ms: number) =>
  ({ atMs }: { readonly atMs: number }) =>
    atMs <= ms;

/** Runs for all, eight at a time. */
async function inTurns<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const work = async () => {
    for (const item of rest) await run(item);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

/** A source of the live values of a device that counts ticks: its value says when it was read. */
interface Counter {
  readonly args: readonly string[];
  /** The values that it had at a moment, and one sample before and after. */
  valuesAt(ms: number): Promise<readonly number[]>;
  stop(): Promise<void>;
}

/** A real IOC (needs Python, and caproto 1.3.0 in the cache of tests). */
async function startIoc(startMs: number): Promise<Counter> {
  const ioc = await ChannelAccessIoc.start();
  await ioc.add('count', 'SR:T', startMs);
  let counted = await ioc.counted('SR:T');
  return {
    args: ['--channel-access-addresses', ioc.address],
    async valuesAt(ms) {
      if ((counted.at(-1)?.[0] ?? 0) < ms + 10 * tickMs) counted = await ioc.counted('SR:T');
      const last = counted.findLastIndex(([atMs]) => atMs <= ms);
      return counted.slice(Math.max(0, last - 1), last + 2).map(([, value]) => value);
    },
    stop: () => ioc.kill(),
  };
}

async function startPvws(startMs: number): Promise<Counter> {
  const pvws = await PvwsServer.start();
  const tickAt = (ms: number) => Math.floor((ms - startMs) / tickMs);
  pvws.devices.set('SR:T', () => {
    const now = Date.now();
    return [{ ...timeOf(now), severity: 'NONE', value: tickAt(now) }];
  });
  return {
    args: ['--pvws-url', pvws.url],
    valuesAt: async (ms) => [-1, 0, 1].map((distance) => tickAt(ms) + distance),
    stop: () => pvws.stop(),
  };
}

interface Attribute {
  readonly name: string;
  readonly value: string;
}

interface Entry {
  readonly id: number;
  readonly title: string;
  readonly createdDate: number;
  readonly events: readonly { readonly instant: number }[];
  readonly attachments: readonly { readonly filename: string }[];
  readonly properties: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
}

test('kill -9 while values and plots are added: each entry has those of its moment, once', async () => {
  const startMs = Date.now();
  const tickAt = (ms: number) => Math.floor((ms - startMs) / tickMs);
  const counter = await (hasCaproto ? startIoc(startMs) : startPvws(startMs));
  const [archiver, dataDir] = await Promise.all([ArchiverServer.start(), makeTempDir()]);
  archiver.add('SR:T', {});
  archiver.add('SR:U', {}, { atMs: startMs - 1_000, val: '5' });
  const timer = setInterval(() => {
    const now = Date.now();
    archiver.devices.get('SR:T')?.samples.push({ atMs: now, val: String(tickAt(now)) });
  }, tickMs / 2);
  const args = ['--device-names', 'SR:*', ...counter.args, '--archiver-url', archiver.url];
  const start = () => LogbookProcess.start(dataDir, { args });
  let logbook = await start();
  const ids: number[] = [];
  const read = async (id: number) => (await call(`${logbook.base}/logs/${id}`)).body as Entry;
  const named = ({ properties }: Entry, wanted: string) => properties.filter(({ name }) => name === wanted);
  const valuesOf = (entry: Entry) => named(entry, 'Device Values');
  const valuesAtEvents = (entry: Entry) => named(entry, 'Device Values at Events');
  const valuesOfAdded = (entry: Entry) =>
    valuesOf(entry).flatMap(({ attributes }) =>
      attributes.flatMap(({ name, value }) => (name === 'SR:U' ? value : [])),
    );
  const archivedAt = (ms: number) => archiver.devices.get('SR:T')?.samples.findLast(isBefore(ms))?.val;
  try {
    const create = async (title: string) => {
      const description = '```plot\nSR:T\n-80s..-70s\n```';
      const events = [{ name: 'trip', instant: Date.now() - 1_000 }];
      const entry = { title, description, events, logbooks: [{ name: 'operations' }] };
      const { status, body } = await call(`${logbook.base}/logs`, { method: 'PUT', json: entry });
      expect(status).toBe(200);
      ids.push(body.id);
    };
    const addName = async (id: number) => {
      const { status } = await call(`${logbook.base}/logs/${id}`, {
        method: 'POST',
        json: { ...(await read(id)), title: 'SR:T with SR:U' },
      });
      expect(status).toBe(200);
    };
    for (let round = 0; round < rounds; round++) {
      const titles = Array.from({ length: perRound }, (_, number) => `SR:T ${round} ${number}`);
      await inTurns(titles, create);
      await inTurns(ids.slice(-perRound / 2), addName);
      await logbook.stop('SIGKILL');
      logbook = await start();
    }
    // The process is not killed before these have their live values.
    for (let number = 0; number < 10; number++) await create(`SR:T last ${number}`);
    const stored = new Map<number, Entry>();
    const countLacking = async () => {
      await inTurns(
        ids.filter((id) => !stored.has(id)),
        async (id) => {
          const entry = await read(id);
          const counts = [valuesOf(entry), valuesAtEvents(entry), entry.attachments].map(({ length }) => length);
          const isWhole = !entry.title.includes('SR:U') || valuesOfAdded(entry).includes('5');
          if (isWhole && !counts.includes(0)) stored.set(id, entry);
        },
      );
      return ids.length - stored.size;
    };
    await expect.poll(countLacking, { timeout: 600_000, interval: 500 }).toBe(0);
    let live = 0;
    // Read again: what is added once must not be added a second time later.
    await inTurns(ids, async (id) => stored.set(id, await read(id)));
    for (const entry of stored.values()) {
      expect(entry.attachments).toHaveLength(1);
      const found = valuesOf(entry);
      expect(found).toHaveLength(1);
      expect(valuesOfAdded(entry)).toEqual(entry.title.includes('SR:U') ? ['5'] : []);
      const attributeOf = (wanted: string) => found[0]?.attributes.find(({ name }) => name === wanted);
      const value = attributeOf('SR:T');
      const [at = '', source] = attributeOf('read')?.value.split('; ')[0]?.split(', ') ?? [];
      if (source === 'live') {
        live += 1;
        expect(await counter.valuesAt(Date.parse(at))).toContain(Number(value?.value));
      } else expect(value?.value).toBe(archivedAt(entry.createdDate));
      const [event] = entry.events;
      const archived = archivedAt(event?.instant ?? 0) ?? 'not available: the archiver has no value of it';
      const [atEvents, ...others] = valuesAtEvents(entry);
      expect(others).toEqual([]);
      // If an edit was faster than the job, the entry already named the other device.
      const ofAll = atEvents?.attributes.filter(({ name }) => name.startsWith('SR:T '));
      expect(ofAll).toMatchObject([{ value: archived }]);
    }
    process.stdout.write(`${ids.length} entries, ${live} with live values\n`);
    expect(await logbook.stop()).toBe(0);
  } finally {
    clearInterval(timer);
    await logbook.stop('SIGKILL');
    await Promise.all([counter.stop(), archiver.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
});
