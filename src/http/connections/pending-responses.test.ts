import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { PendingResponses } from './pending-responses.js';

test('a body that was refused is received to its end before the connections are drained', async () => {
  const pending = new PendingResponses();
  const server = createServer();
  onTestFinished(() => void server.close());
  pending.watch(server);
  const answered = new Promise<void>((resolve) => {
    server.on('request', (request, response) => {
      response.on('close', resolve);
      request.resume();
      response.writeHead(503).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('PUT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{');
  await answered;
  let isDrained = false;
  const drained = pending.drained().then(() => {
    isDrained = true;
  });
  await new Promise(setImmediate);
  expect(isDrained).toBe(false);
  socket.write('}');
  await drained;
});
