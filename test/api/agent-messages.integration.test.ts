import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSocket, rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
let headers: Record<string, string>;
let ids: number[];

beforeAll(async () => {
  logbook = await TestService.start({ mcp: 'true' });
  const { token } = (await logbook.post('/tokens', { name: 'messages', rights: [] })).body;
  headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const created = [];
  for (const title of ['First', 'Second', 'Third']) created.push(await logbook.create({ title }));
  ids = created.map(({ id }) => id);
});
afterAll(() => logbook.stop());

const callOf = (id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getEntry', arguments: { id } } });
const post = (body: string, length = Buffer.byteLength(body)) =>
  rawRequest('POST', '/mcp', { ...headers, 'content-length': String(length) }, body);

test('several calls sent at once on one connection are answered in their order', async () => {
  const socket = openSocket(logbook.origin);
  socket.write(Buffer.concat(ids.map((id) => post(callOf(id)))));
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  const titles = () => [...received.matchAll(/\\"title\\":\\"(\w+)\\"/g)].map(([, title]) => title);
  await expect.poll(titles).toEqual(['First', 'Second', 'Third']);
  socket.destroy();
});

test('a client that leaves in the middle of a message is recorded, and other calls are answered', async () => {
  const socket = openSocket(logbook.origin);
  await once(socket, 'connect');
  const message = callOf(ids[0] ?? 0);
  await new Promise((resolve) => socket.write(post(message.slice(0, 20), message.length), resolve));
  const answered = await sendRaw(logbook.origin, [post(message)]);
  expect(JSON.parse(answered.text)).toMatchObject({ id: 1, result: { content: expect.any(Array) } });
  socket.destroy();
  const details = async () => {
    const { body } = await logbook.get(`/audit?action=${encodeURIComponent('POST /mcp')}`, { as: 'admin:adminPass' });
    return body.map(({ detail }: { detail: string }) => detail).join();
  };
  await expect.poll(details).toContain('aborted by the client (upload)');
});

test('413: a message that is too long is refused before it arrives', async () => {
  const { status, text } = await sendRaw(logbook.origin, [post('', 2 ** 40)]);
  expect([status, JSON.parse(text).code]).toEqual([413, 'request.too-large']);
});
