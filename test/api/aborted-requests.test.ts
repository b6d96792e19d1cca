import { once } from 'node:events';
import type { Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSocket, rawRequest } from '../fixtures/raw-http.js';
import { entryForm, TestService } from '../fixtures/service.js';

const asAdmin = { as: 'admin:adminPass' };
const lines: { level: number; msg: string; [field: string]: unknown }[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({}, undefined, logger);
});
afterAll(async () => {
  await logbook.stop();
});

async function open(): Promise<Socket> {
  const socket = openSocket(logbook.origin);
  await once(socket, 'connect');
  return socket;
}

/** The lines about aborted requests for an address: those of an earlier test may still arrive. */
const aborted = (address: string) =>
  lines.filter(({ msg, url }) => msg === 'request aborted by its client' && url === address);
const countOf = async (at: string) => {
  const text = await (await fetch(`${logbook.origin}/metrics`)).text();
  return Number(new RegExp(`logbook_http_aborted_requests_total\\{at="${at}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};
/** The audit records of requests that failed for the route, newest first. */
const failuresOf = async (action: string) =>
  (await logbook.get(`/audit?outcome=failed&action=${encodeURIComponent(action)}`, asAdmin)).body;

test('a client that resets its connection is no error in the log, whatever it sent', async () => {
  const requests = [
    rawRequest('GET', '/logbook/user', {}),
    rawRequest('GET', '/logbook/logs?size=1', { authorization: '' }),
    rawRequest('PUT', '/logbook/logs', { 'content-type': 'application/json', 'content-length': '50' }, '{"title":'),
    rawRequest('GET', '/logbook/user', { authorization: `Basic ${btoa('user:wrong')}` }),
  ];
  for (let round = 0; round < 100; round++) {
    const socket = await open();
    socket.write(requests[round % requests.length] as Buffer);
    if (round % 3 === 0) await new Promise(setImmediate);
    socket.resetAndDestroy();
  }
  await expect.poll(() => aborted('/logbook/logs').length).toBeGreaterThan(0);
  expect((await logbook.get('/logs')).status).toBe(200);
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
});

test('an aborted upload is a line in the log, an audit record and a metric; nothing is stored', async () => {
  const count = await countOf('upload');
  const entries = (await logbook.search('')).hitCount;
  const socket = await open();
  const type = 'multipart/form-data; boundary=x';
  socket.write(rawRequest('PUT', '/logbook/logs/multipart', { 'content-type': type, 'content-length': '1000000' }));
  socket.write('--x\r\ncontent-disposition: form-data; name="files"; filename="a.bin"\r\n\r\n');
  // The service has read the head of the request when it answers another one that came later.
  await logbook.get('/logs');
  socket.destroy();
  await expect.poll(() => aborted('/logbook/logs/multipart')).toHaveLength(1);
  expect(aborted('/logbook/logs/multipart')[0]).toMatchObject({
    method: 'PUT',
    remoteAddress: '127.0.0.1',
    user: 'user',
    abortedAt: 'upload',
  });
  expect((await failuresOf('PUT /logs/multipart'))[0]).toMatchObject({
    userName: 'user',
    action: 'PUT /logs/multipart',
    detail: expect.stringContaining('aborted by the client (upload)'),
  });
  expect(await countOf('upload')).toBeGreaterThan(count);
  expect((await logbook.search('')).hitCount).toBe(entries);
});

test('an aborted download is logged, audited and counted; one of a file of the browser client is not audited', async () => {
  const page = await (await fetch(`${logbook.origin}/`)).text();
  const [asset = ''] = /\/assets\/[^"]+\.js/.exec(page) ?? [];
  const leaving = await open();
  // The responses are longer than the buffers of the connection.
  for (let at = 0; at < 200; at += 1) leaving.write(rawRequest('GET', asset, {}));
  await once(leaving, 'data');
  leaving.destroy();
  await expect.poll(() => aborted(asset).length).toBeGreaterThan(0);
  const assets = await countOf('download');
  const content = Buffer.alloc(14_000_000, 'x');
  const made = await logbook.call('/logs/multipart', {
    method: 'PUT',
    body: entryForm(
      { title: 'x', logbooks: [{ name: 'operations' }], attachments: [{ id: 'large', filename: 'large.bin' }] },
      [{ name: 'large.bin', content }],
    ),
  });
  expect(made.status, made.text).toBe(200);
  const socket = await open();
  socket.write(rawRequest('GET', '/logbook/attachment/large', {}));
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => aborted('/logbook/attachment/large')).toMatchObject([{ abortedAt: 'download' }]);
  expect((await failuresOf('GET /attachment/:attachmentId'))[0]).toMatchObject({
    action: 'GET /attachment/:attachmentId',
    target: '/logbook/attachment/large',
    from: '127.0.0.1',
  });
  expect(await countOf('download')).toBeGreaterThan(assets);
  expect(await failuresOf('GET /assets/*')).toEqual([]);
});

test('only the names of the parameters of a query are logged, and never their values', async () => {
  await logbook.get('/logs?password=hush1&access_token=hush2&text=beam');
  await logbook.call('/nowhere?code=hush3&state=hush4');
  await expect.poll(() => lines.some(({ url }) => String(url).includes('&text=…'))).toBe(true);
  expect(JSON.stringify(lines)).not.toMatch(/hush\d|beam/);
});
