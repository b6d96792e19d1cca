import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { absentId, ItemFailure, ItemRequests } from '../../src/integrations/logbook-service/item-requests.js';
import { ServiceConnection } from '../../src/integrations/logbook-service/service-connection.js';
import { listening, portOf, stopServer } from '../fixtures/local-server.js';

const { signal } = new AbortController();
let absentStatus: number;
let server: Server;
let connection: ServiceConnection;
beforeEach(async () => {
  server = await listening(
    createServer(({ url = '' }, response) => {
      response.statusCode = url.startsWith('/logs/search') ? 200 : url === `/logs/${absentId}` ? absentStatus : 401;
      response.end('{}');
    }),
  );
  connection = new ServiceConnection({
    url: new URL(`http://127.0.0.1:${portOf(server)}`),
    headers: {},
    caCertificates: undefined,
    requestsPerSecond: 1_000,
    timeoutMs: 10_000,
  });
});
afterEach(async () => {
  await connection.close();
  await stopServer(server);
});

test('a failure with the status of an unknown entry means an absent item, also after that status could not be read', async () => {
  const requests = new ItemRequests(connection);
  const failure = await requests.getJson('/logs/7', signal);
  if (!(failure instanceof ItemFailure)) throw new Error('the item was found');
  absentStatus = 500;
  expect(await requests.meansAbsent(failure, signal)).toBe(false);
  absentStatus = 401;
  await expect.poll(() => requests.meansAbsent(failure, signal)).toBe(true);
});
