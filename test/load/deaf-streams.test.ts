import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChangeReader } from '../fixtures/change-reader.js';
import { LogbookProcess } from '../fixtures/process.js';
import { openSocket } from '../fixtures/raw-http.js';
import { call, makeTempDir } from '../fixtures/service.js';

const entries = 30;
let dir: string;
let logbook: LogbookProcess;
beforeAll(async () => {
  dir = await makeTempDir();
  logbook = await LogbookProcess.start(dir, { env: { LOGBOOK_LOG_LEVEL: 'warn' } });
  const json = { title: 'x', source: 'x'.repeat(900_000), logbooks: [{ name: 'operations' }] };
  for (let at = 0; at < entries; at += 1) {
    expect((await call(`${logbook.base}/logs`, { method: 'PUT', json })).status).toBe(200);
  }
});
afterAll(async () => {
  await logbook.stop();
  await rm(dir, { recursive: true });
});

async function metric(name: string): Promise<number> {
  const { text } = await call(`${logbook.origin}/metrics`);
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}
const residentMegabytes = async () => (await metric('process_resident_memory_bytes')) / 1_048_576;

/** A client that reads the beginning of its stream, and nothing more. */
async function unreadStream(position: number): Promise<() => void> {
  const socket = openSocket(logbook.origin);
  socket.write(`GET /logbook/changes?lastEventId=${position} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  return () => socket.destroy();
}

async function readAll(): Promise<void> {
  const reader = await ChangeReader.open(logbook.base, { position: 0 });
  await reader.next(entries);
  await reader.close();
}

test('150 streams of large entries that no client reads take no more memory than one', async () => {
  const before = await residentMegabytes();
  const unread = await Promise.all(Array.from({ length: 150 }, () => unreadStream(0)));
  // Each of them has been served before a stream that began later has read everything.
  await readAll();
  expect((await residentMegabytes()) - before).toBeLessThan(200);
  expect(await metric('logbook_event_streams')).toBeGreaterThanOrEqual(150);
  for (const end of unread) end();
});

test('when streams wait for different entries, those that waited longest are disconnected, and no client that reads', async () => {
  const unread = await Promise.all(Array.from({ length: 150 }, (_, at) => unreadStream(at % (entries - 5))));
  // They wait longer than a client that begins later, even if it is slow because the machine is busy.
  const reader = await ChangeReader.open(logbook.base, { position: 0 });
  await reader.next(entries);
  await expect.poll(() => metric('logbook_event_streams')).toBeLessThan(50);
  const json = { title: 'small', logbooks: [{ name: 'operations' }] };
  const { body } = await call(`${logbook.base}/logs`, { method: 'PUT', json });
  expect((await reader.next(1))[0]?.data.entryId).toBe(body.id);
  await reader.close();
  for (const end of unread) end();
});
