import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { frameLimits } from '../../packages/stomp/frame.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { LogbookProcess } from '../fixtures/process.js';
import { openSocket } from '../fixtures/raw-http.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';

let dir: string;
let logbook: LogbookProcess;
let witness: StompClient;
let reader: ChangeReader;
let residentBefore: number;
const clients: StompClient[] = [];

beforeAll(async () => {
  dir = await makeTempDir();
  logbook = await LogbookProcess.start(dir, { env: { LOGBOOK_LOG_LEVEL: 'warn' } });
  witness = await StompClient.subscribe(logbook.base, { topic: '/topic/entries' });
  reader = await ChangeReader.open(logbook.base);
  for (let at = 0; at < 100; at += 1) await expectOthersUnaffected();
  residentBefore = await resident();
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await reader.close();
  await witness.close();
  expect(await logbook.stop()).toBe(0);
  await rm(dir, { recursive: true });
});

async function create(source = ''): Promise<number> {
  const json = { title: 'x', source, logbooks: [{ name: 'operations' }] };
  const { status, body } = await call(`${logbook.base}/logs`, { method: 'PUT', json });
  expect(status).toBe(200);
  return body.id;
}

/** Megabytes. */
async function resident(): Promise<number> {
  const { text } = await call(`${logbook.origin}/metrics`);
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / 1_048_576;
}

async function expectOthersUnaffected(): Promise<void> {
  const id = await create();
  expect(JSON.parse((await witness.next('MESSAGE')).body).id).toBe(id);
  expect((await reader.next(1))[0]?.data.entryId).toBe(id);
}

async function connected(): Promise<StompClient> {
  const client = await StompClient.open(logbook.base);
  clients.push(client);
  client.send('CONNECT', { 'accept-version': '1.2' });
  await client.next('CONNECTED');
  return client;
}

/** The ERROR frames that the client received, and the close code of its connection. */
async function waitForClose(client: StompClient): Promise<{ code: number; errors: string[] }> {
  const { code } = await client.closed;
  return { code, errors: client.received.filter(({ command }) => command === 'ERROR').map(({ body }) => body) };
}

const rejected = (text: string | RegExp) => ({ code: 1_008, errors: [expect.stringMatching(text)] });

test('incomplete frames on many connections', async () => {
  for (let at = 0; at < 50; at += 1) (await connected()).socket.send('SEND\ndestination:/logbook/web-so');
  await expectOthersUnaffected();
});

test('a frame of 10 MB, in one message and in many', async () => {
  const one = await connected();
  one.socket.send(`SEND\n\n${'a'.repeat(10_000_000)}`);
  expect(await waitForClose(one)).toEqual({ code: 1_009, errors: [] });
  const many = await connected();
  for (let at = 0; at < 1_000; at += 1) many.socket.send(at === 0 ? 'SEND\n\n' : 'a'.repeat(10_000));
  expect(await waitForClose(many)).toEqual(rejected('too large. The limit is 64 kB'));
  await expectOthersUnaffected();
});

test('a frame without end, headers without end', async () => {
  for (const [text, problem] of [
    [`SEND\n\n${'a'.repeat(frameLimits.bytes)}`, 'too large. The limit is 64 kB'],
    [`SEND\n${'a:b\n'.repeat(1_000)}`, 'headers'],
    [`SEND\n${'a'.repeat(20_000)}`, 'headers'],
  ] as const) {
    const client = await connected();
    client.socket.send(text);
    expect(await waitForClose(client)).toEqual(rejected(problem));
  }
  await expectOthersUnaffected();
});

test('10,000 subscriptions', async () => {
  const client = await connected();
  for (let at = 0; at < 10_000; at += 1) client.send('SUBSCRIBE', { id: String(at), destination: '/topic/entries' });
  expect(await waitForClose(client)).toEqual(rejected(/too many subscriptions\. The limit is 100|Too many frames/));
  await expectOthersUnaffected();
});

test('CONNECT without end, on one connection and on many', async () => {
  const client = await connected();
  for (let at = 0; at < 1_000; at += 1) client.send('CONNECT', { 'accept-version': '1.2' });
  expect(await waitForClose(client)).toEqual(rejected(/already connected|Too many frames/));
  const many = await Promise.all(Array.from({ length: 300 }, connected));
  await expectOthersUnaffected();
  for (const one of many) await one.close();
});

test('heart-beats and pings without end', async () => {
  const beating = await connected();
  for (let at = 0; at < 2_000; at += 1) beating.socket.send('\n');
  expect(await waitForClose(beating)).toEqual(rejected('Too many'));
  const pinging = await connected();
  for (let at = 0; at < 2_000; at += 1) pinging.socket.ping();
  // It reads no pongs, so that no ERROR frame may arrive before the connection is closed.
  await pinging.closed;
  await expectOthersUnaffected();
});

test('publishing to others', async () => {
  const client = await connected();
  client.send('SEND', { destination: '/topic/entries' }, '{"id":0}');
  expect(await waitForClose(client)).toEqual(rejected('cannot publish'));
  await expectOthersUnaffected();
});

test('invalid UTF-8', async () => {
  for (const binary of [true, false]) {
    const client = await connected();
    client.socket.send(Buffer.from('SEND\ndestination:/web-socket/echo\n\n\xff\0', 'latin1'), { binary });
    expect(await waitForClose(client)).toEqual(rejected('UTF-8'));
  }
  await expectOthersUnaffected();
});

test('compressed messages', async () => {
  const willing = await StompClient.open(logbook.base, { perMessageDeflate: true });
  expect(willing.socket.extensions).toBe('');
  await willing.close();
  const socket = openSocket(logbook.origin);
  socket.write(
    'GET /logbook/web-socket HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  // A text message with the compression bit and the mask 0.
  socket.write(Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x41]));
  const response = Buffer.concat(await socket.toArray());
  // A close frame with the code 1002.
  expect(response.includes(Buffer.from([0x03, 0xea]))).toBe(true);
  await expectOthersUnaffected();
});

test('a subscribed client that does not read is disconnected; the others receive everything', async () => {
  const unread = await StompClient.subscribe(logbook.base, { topic: '/topic/entries' });
  clients.push(unread);
  unread.socket.pause();
  const count = async () =>
    Number(/^logbook_websocket_connections (\d+)/m.exec((await call(`${logbook.origin}/metrics`)).text)?.[1]);
  const before = await count();
  const source = 'x'.repeat(200_000);
  for (let at = 0; (await count()) === before; at += 1) {
    expect(at).toBeLessThan(200);
    const id = await create(source);
    expect(JSON.parse((await witness.next('MESSAGE')).body).id).toBe(id);
    expect((await reader.next(1))[0]?.data.entryId).toBe(id);
  }
});

test('memory use returns to its initial level', async () => {
  for (const client of clients.splice(0)) await client.close();
  await expectOthersUnaffected();
  await expect.poll(async () => (await resident()) - residentBefore).toBeLessThan(100);
});
