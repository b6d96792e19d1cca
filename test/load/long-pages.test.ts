import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { openSocket } from '../fixtures/raw-http.js';
import { call, makeTempDir } from '../fixtures/service.js';

const count = 70;
const source = 'word '.repeat(180_000);
let dir: string;
let logbook: LogbookProcess;
beforeAll(async () => {
  dir = await makeTempDir();
  logbook = await LogbookProcess.start(dir, {
    env: { LOGBOOK_LOG_LEVEL: 'warn', LOGBOOK_MAX_WAITING_PER_CLIENT: '200' },
  });
  for (let at = 0; at < count; at += 1) {
    const json = { title: `number ${at}`, source, logbooks: [{ name: 'operations' }] };
    expect((await call(`${logbook.base}/logs`, { method: 'PUT', json })).status).toBe(200);
  }
});
afterAll(async () => {
  await logbook.stop();
  await rm(dir, { recursive: true });
});

async function residentMegabytes(): Promise<number> {
  const { text } = await call(`${logbook.origin}/metrics`);
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / 1_048_576;
}

const titles = Array.from({ length: count }, (_, at) => `number ${count - 1 - at}`);

test.each([
  ['/logs', (body: unknown) => body],
  [
    '/logs/search?explain=true',
    (body: { hitCount: number; logs: unknown; explain: unknown }) => {
      expect(body).toMatchObject({ hitCount: count, explain: { parts: [] } });
      return body.logs;
    },
  ],
])('a page of 120 MB is complete: %s', async (path, logsOf) => {
  const { status, body } = await call(`${logbook.base}${path}`);
  expect(status).toBe(200);
  const logs = logsOf(body) as { title: string; source: string }[];
  expect(logs.map(({ title }) => title)).toEqual(titles);
  expect(logs.every((log) => log.source === source)).toBe(true);
});

test('the archived versions of an entry are complete, even if large in total', async () => {
  const { body: created } = await call(`${logbook.base}/logs?size=1&sort=up`);
  const [entry] = created;
  const edits = 40;
  for (let at = 0; at < edits; at += 1) {
    const json = { title: `edit ${at}`, source, logbooks: [{ name: 'operations' }] };
    expect((await call(`${logbook.base}/logs/${entry.id}`, { method: 'POST', json })).status).toBe(200);
  }
  const { status, body } = await call(`${logbook.base}/logs/archived/${entry.id}`);
  expect([status, body.hitCount]).toEqual([200, edits]);
  const earlier = Array.from({ length: edits - 1 }, (_, at) => `edit ${edits - 2 - at}`);
  expect(body.logs.map(({ title }: { title: string }) => title)).toEqual([...earlier, 'number 0']);
});

test('100 clients that request a long page without reading it take little memory and block no others', async () => {
  const before = await residentMegabytes();
  const stalled = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = openSocket(logbook.origin);
      socket.write('GET /logbook/logs HTTP/1.1\r\nhost: x\r\n\r\n');
      await once(socket, 'data');
      socket.pause();
      return socket;
    }),
  );
  expect((await call(`${logbook.base}/logs/search?size=1`)).body.hitCount).toBe(count);
  expect((await residentMegabytes()) - before).toBeLessThan(700);
  for (const socket of stalled) socket.destroy();
});

test('400 search.feed-too-large: a feed of the same entries', async () => {
  const { status, body } = await call(`${logbook.base}/logs/rss`);
  expect([status, body.code]).toEqual([400, 'search.feed-too-large']);
  expect(body.message).toContain('The limit is 16 MB for each feed, regardless of the client, and is fixed.');
  expect((await call(`${logbook.base}/logs/rss?size=5`)).status).toBe(200);
});
