import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ChangeReader } from '../fixtures/change-reader.js';
import { rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { call, TestService } from '../fixtures/service.js';

let logbook: TestService;
/** Address of one node; each counts its own connections. */
let base: string;
beforeAll(async () => {
  logbook = await TestService.start({ maxLiveConnectionsPerAddress: '2', trustedProxies: '127.0.0.1' });
  ({ base } = logbook);
});
afterAll(() => logbook.stop());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const stream = (address: string) => ChangeReader.open(base, from(address));

/** An open socket, or the response that refused it. */
async function webSocket(address: string): Promise<WebSocket | { status: number; code: string; retryAfter: number }> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/web-socket`, from(address));
  socket.on('error', () => undefined);
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    const { status, code } = JSON.parse(Buffer.concat(await response.toArray()).toString());
    return { status, code, retryAfter: Number(response.headers['retry-after']) };
  });
  return Promise.race([once(socket, 'open').then(() => socket), refused]);
}

const refusal = { status: 429, code: 'live.too-many-from-address' };

test('429 beyond maxLiveConnectionsPerAddress, counting sockets and streams together, and each address separately', async () => {
  const socket = (await webSocket('192.0.2.1')) as WebSocket;
  const reader = await stream('192.0.2.1');
  expect(await webSocket('192.0.2.1')).toMatchObject({ ...refusal, retryAfter: 30 });
  const response = await call(`${base}/changes`, from('192.0.2.1'));
  expect(response.body).toMatchObject({ ...refusal, message: expect.stringContaining('192.0.2.1') });
  const other = await stream('192.0.2.2');
  await other.close();

  await reader.close();
  socket.terminate();
  // Both are closed and no longer count.
  await expect
    .poll(async () => {
      const [one, two] = await Promise.all([webSocket('192.0.2.1'), webSocket('192.0.2.1')]);
      const isOpen = [one, two].every((it) => it instanceof WebSocket);
      for (const it of [one, two]) if (it instanceof WebSocket) it.terminate();
      return isOpen;
    })
    .toBe(true);
});

test('a failed WebSocket handshake does not count as a connection', async () => {
  const headers = {
    ...from('192.0.2.3').headers,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'no key',
    'sec-websocket-version': '13',
  };
  for (let at = 0; at < 5; at += 1) {
    const { status } = await sendRaw(base, [rawRequest('GET', '/logbook/web-socket', headers)]);
    expect(status).toBe(400);
  }
  await expect
    .poll(async () => {
      const socket = await webSocket('192.0.2.3');
      if (socket instanceof WebSocket) socket.terminate();
      return socket instanceof WebSocket;
    })
    .toBe(true);
});
