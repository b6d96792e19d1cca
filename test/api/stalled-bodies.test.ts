import { once } from 'node:events';
import type { Socket } from 'node:net';
import Fastify from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Admission } from '../../src/http/admission/admission.js';
import { describeError } from '../../src/http/reply/error-body.js';
import { readBodies } from '../../src/http/request/read-bodies.js';
import { provideContext } from '../../src/http/request/request-context.js';
import { basicAuth, openSocket, rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';

/** Maximum number of waiting writes of one client, in this file. */
const maxWaiting = 4;
const maxBodyBytes = 102_400;

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({
    maxWaitingPerClient: String(maxWaiting),
    maxWaitingLongWritesPerClient: '2',
    maxEntrySize: '100kB',
  });
});
afterAll(() => logbook.stop());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const json = { 'content-type': 'application/json' };

/** Starts a write whose body is announced with this number of bytes; resolves when the service reads it. */
async function startWrite(bytes: number, user = 'user:userPass'): Promise<Socket> {
  const socket = openSocket(logbook.origin);
  sockets.push(socket);
  const headers = { ...json, authorization: basicAuth(user), 'content-length': String(bytes), expect: '100-continue' };
  socket.write(rawRequest('PUT', '/logbook/logs', headers));
  const [first] = await once(socket, 'data');
  expect(String(first)).toMatch(/^HTTP\/1\.1 100 Continue/);
  return socket;
}

const long = { source: 'x'.repeat(70_000) };

test('writes whose bodies do not arrive use up no places of their user', async () => {
  for (let at = 0; at < 3 * maxWaiting; at++) {
    const socket = await startWrite(at % 2 === 0 ? 90_000 : 1_000);
    socket.write('{"title":');
  }
  await logbook.create();
  await logbook.create(long, '?markup=none');
});

test('429 request.too-many-waiting: a long write whose user has enough of them waiting is refused before its body is sent', async () => {
  const body = JSON.stringify({ title: 'long', ...long, logbooks: [{ name: 'operations' }] });
  const headers = { ...json, authorization: basicAuth('user:userPass'), expect: '100-continue' };
  // While another user uses the service, the long writes of a user wait for each other for a while.
  await logbook.create({}, '', { as: 'admin:adminPass' });
  const refusals: string[] = [];
  const results: Promise<unknown>[] = [];
  // Send until enough wait that one is refused.
  while (refusals.length === 0 && results.length < 50) {
    const socket = openSocket(logbook.origin);
    sockets.push(socket);
    socket.write(rawRequest('PUT', '/logbook/logs?markup=none', { ...headers, 'content-length': String(body.length) }));
    const [first] = (await once(socket, 'data')) as [Buffer];
    if (String(first).startsWith('HTTP/1.1 429 ')) refusals.push(String(first));
    else {
      expect(String(first)).toMatch(/^HTTP\/1\.1 100 Continue/);
      results.push(once(socket, 'data'));
      socket.write(body);
    }
  }
  expect(refusals[0]).toContain('"code":"request.too-many-waiting"');
  expect(refusals[0]).toMatch(/^connection: close\r$/im);
  for (const [answer] of (await Promise.all(results)) as [Buffer][])
    expect(String(answer)).toMatch(/^HTTP\/1\.1 (200|429) /);
});

test('429 request.too-many-arriving: too many bytes at the same time refuse the body that is idle for longest', async () => {
  const stalled = await startWrite(95_000);
  const refusal = once(stalled, 'data');
  stalled.write('x'.repeat(90_000));
  for (let at = 0; at < 2; at++) (await startWrite(95_000)).write('x'.repeat(90_000));
  const [answer] = await refusal;
  expect(String(answer)).toMatch(/^HTTP\/1\.1 429 /);
  expect(String(answer)).toMatch(/^retry-after: 2\r$/m);
  expect(String(answer)).toContain('"code":"request.too-many-arriving"');
  expect(String(answer)).toContain(
    'The limit is 200 kB at the same time, and less while many clients send for user “user” (setting maxWaitingLongWritesPerClient, times maxEntrySize).',
  );
  await logbook.create(long, '?markup=none', { as: 'admin:adminPass' });
  await logbook.create(long, '?markup=none');
});

test('408 request.timeout: a JSON body that is idle is refused, and no longer counted', async () => {
  const app = Fastify();
  const admission = new Admission({
    searchThreads: 2,
    maxWaitingPerClient: 1,
    maxWaitingLongWritesPerClient: 1,
    downloads: undefined,
    maxJsonBytes: maxBodyBytes,
    indexed: async () => {},
    userNameOf: async () => undefined,
  });
  const counted: boolean[] = [];
  readBodies(app, {
    maxJsonBytes: maxBodyBytes,
    maxRequestBytes: maxBodyBytes,
    idleMs: 50,
    admission: {
      requireRoom: async () => {},
      receive: async (request, onRefused) => {
        const body = await admission.receive(request, onRefused);
        counted.push(true);
        return {
          add: body.add,
          end: () => {
            body.end();
            counted.pop();
          },
        };
      },
    },
  });
  provideContext(app);
  app.setErrorHandler((error, _request, reply) => {
    const { status, ...body } = describeError(error);
    return reply.code(status).send(body);
  });
  app.put('/', async () => 'stored');
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const answer = await sendRaw(origin, [rawRequest('PUT', '/', { ...json, 'content-length': '10' }, '{"a":')]);
  expect(answer.status).toBe(408);
  expect(JSON.parse(answer.text)).toEqual({
    code: 'request.timeout',
    message:
      'No more data of the body arrived; nothing was stored. The limit is 0.05 s without data for each request, and is fixed. Send the request again.',
  });
  expect(counted).toEqual([]);
  app.server.closeAllConnections();
  await app.close();
});
