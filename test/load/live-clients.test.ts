import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChangeReader } from '../fixtures/change-reader.js';
import { LogbookProcess } from '../fixtures/process.js';
import { openSocket } from '../fixtures/raw-http.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';

/** Time for which entries are created. */
const seconds = Number(process.env.LOGBOOK_LIVE_SECONDS ?? '30');
const perSecond = 50;
const quiet = { env: { LOGBOOK_LOG_LEVEL: 'warn' } };

let dir: string;
let logbook: LogbookProcess;
beforeEach(async () => {
  dir = await makeTempDir();
  logbook = await LogbookProcess.start(dir, quiet);
});
afterEach(async () => {
  await logbook.stop('SIGKILL');
  await rm(dir, { recursive: true });
});

async function create(): Promise<number> {
  const json = { title: 'x', source: 'Quadrupole **tripped**. '.repeat(20), logbooks: [{ name: 'operations' }] };
  const { status, body } = await call(`${logbook.base}/logs`, { method: 'PUT', json });
  expect(status).toBe(200);
  return body.id;
}

/** Creates entries at a steady rate, however long the responses take; resolves to their ids in order. */
async function createSteadily(count: number): Promise<number[]> {
  const startedMs = performance.now();
  const made: Promise<number>[] = [];
  for (let at = 0; at < count; at += 1) {
    await sleep(Math.max(0, startedMs + (at * 1_000) / perSecond - performance.now()));
    made.push(create());
  }
  return (await Promise.all(made)).toSorted((a, b) => a - b);
}

/** Connections that subscribe to everything and read nothing. */
async function unreadConnections(): Promise<{ client: StompClient; socket: Socket }> {
  const client = await StompClient.subscribe(logbook.base, { topic: '/topic/entries' });
  client.socket.pause();
  const socket = openSocket(logbook.origin);
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /logbook/changes HTTP/1.1\r\nhost: x\r\n\r\n');
  return { client, socket };
}

const many = <T>(count: number, open: () => Promise<T>) => Promise.all(Array.from({ length: count }, open));

test('200 STOMP clients and 20 streams receive each entry once, in order, when it can be read', {
  timeout: 600_000 + 4_000 * seconds,
}, async () => {
  const count = seconds * perSecond;
  const noticed = await many(100, () => StompClient.subscribe(logbook.base));
  const subscribed = await many(100, () => StompClient.subscribe(logbook.base, { topic: '/topic/entries' }));
  const streams = await many(10, () => ChangeReader.open(logbook.base));
  const filtered = await many(10, () => ChangeReader.open(logbook.base, { query: '?text=tripped' }));
  const unread = await unreadConnections();
  const [firstSubscribed, firstStream] = [subscribed.shift() as StompClient, streams.shift() as ChangeReader];

  // Resets the measurement of the event loop delay.
  await call(`${logbook.origin}/metrics`);
  const making = createSteadily(count);
  const seen: number[][] = [[], []];
  const canBeRead = async (id: number) => {
    expect((await call(`${logbook.base}/logs/${id}`)).status).toBe(200);
    return id;
  };
  await Promise.all([
    (async () => {
      while ((seen[0]?.length ?? 0) < count) {
        seen[0]?.push(await canBeRead(JSON.parse((await firstSubscribed.next('MESSAGE')).body).id));
      }
    })(),
    (async () => {
      while ((seen[1]?.length ?? 0) < count)
        seen[1]?.push(await canBeRead((await firstStream.next(1))[0]?.data.entryId ?? 0));
    })(),
  ]);
  const ids = await making;
  for (const one of seen) expect(one).toEqual(ids);
  for (const client of subscribed) expect((await client.bodies(count)).map((body) => JSON.parse(body).id)).toEqual(ids);
  for (const client of noticed) {
    expect(new Set(await client.bodies(count))).toEqual(new Set(['{"messageType":"NEW_LOG_ENTRY","payload":null}']));
  }
  for (const stream of [...streams, ...filtered]) {
    expect((await stream.next(count)).map(({ data }) => data.entryId)).toEqual(ids);
  }
  for (const client of [...subscribed, ...noticed]) {
    expect(client.received.filter(({ command }) => command === 'MESSAGE')).toHaveLength(count);
  }
  const { text } = await call(`${logbook.origin}/metrics`);
  const metric = (name: string) => Number(new RegExp(`^${name}(?:{statistic="p99"})? (\\S+)`, 'm').exec(text)?.[1]);
  // biome-ignore lint/suspicious/noConsole: metrics for information, without a limit
  console.info(
    `${count} entries in ${seconds} s: event loop delay p99 ${(1_000 * metric('logbook_event_loop_delay_seconds')).toFixed(1)} ms, CPU ${metric('process_cpu_seconds_total').toFixed(1)} s, resident ${(metric('process_resident_memory_bytes') / 1_048_576).toFixed(0)} MB`,
  );
  for (const client of [...subscribed, ...noticed, firstSubscribed, unread.client]) await client.close();
  for (const stream of [...streams, ...filtered, firstStream]) await stream.close();
  unread.socket.destroy();
});

test('after kill -9 under load, streams resume without gaps or repeats', async () => {
  const readers = await many(20, () => ChangeReader.open(logbook.base, { position: 0 }));
  const got: number[][] = readers.map(() => []);
  for (let round = 0; round < 3; round += 1) {
    let killed = false;
    const lanes = many(8, async () => {
      while (!killed) await create().catch((error: unknown) => killed || Promise.reject(error));
    });
    await readers[0]?.next(50);
    killed = true;
    logbook.signal('SIGKILL');
    await logbook.exit();
    await lanes;
    await Promise.all(readers.map(({ ended }) => ended));
    logbook = await LogbookProcess.start(dir, quiet);
    for (const [at, reader] of readers.entries()) {
      got[at]?.push(...reader.changes.map(({ id }) => id));
      readers[at] = await ChangeReader.open(logbook.base, { position: reader.position ?? -1 });
    }
  }
  const last = await create();
  const all = await ChangeReader.open(logbook.base, { position: 0 });
  while (all.changes.at(-1)?.data.entryId !== last) await all.next(1);
  const expected = all.changes.map(({ id }) => id);
  for (const [at, reader] of readers.entries()) {
    while (reader.changes.at(-1)?.data.entryId !== last) await reader.next(1);
    expect([...(got[at] ?? []), ...reader.changes.map(({ id }) => id)]).toEqual(expected);
    await reader.close();
  }
  await all.close();
});
