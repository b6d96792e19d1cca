import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openSocket } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';

test('a client that requests an upgrade and keeps its half of the connection open does not prevent the service from stopping', async () => {
  const logbook = await TestService.start();
  const socket = openSocket(logbook.origin, { allowHalfOpen: true });
  socket.write('GET /logbook/web-socketx HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const [response] = await once(socket, 'data');
  expect(String(response)).toMatch(/^HTTP\/1.1 404/);
  await logbook.stop();
  socket.destroy();
});

test('a client that subscribes to a topic a hundred times and reads nothing is disconnected, and no other client', async () => {
  const logbook = await TestService.start();
  const greedy = await StompClient.open(logbook.base);
  greedy.send('CONNECT', { 'accept-version': '1.2' });
  await greedy.next('CONNECTED');
  for (let at = 0; at < 100; at += 1)
    greedy.send('SUBSCRIBE', { id: String(at), destination: '/topic/entries', receipt: 'r' });
  for (let at = 0; at < 100; at += 1) await greedy.next('RECEIPT');
  greedy.socket.pause();
  const witness = await StompClient.subscribe(logbook.base);
  // This client receives each entry as 100 frames of 8 kB.
  for (let at = 0; at < 200; at += 1) await logbook.create({ source: 'x'.repeat(8_000) });
  greedy.socket.resume();
  await greedy.closed;
  for (let at = 0; at < 200; at += 1) await witness.next('MESSAGE');
  await witness.close();
  await logbook.stop();
});
