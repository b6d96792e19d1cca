import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type IMessage } from '@stomp/stompjs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { isIntact } from '../../src/entries/change-feed.port.js';
import { basicAuth, openSocket } from '../fixtures/raw-http.js';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';

const changeMessage = (messageType: string, payload: string | null = null) => JSON.stringify({ messageType, payload });
const created = changeMessage('NEW_LOG_ENTRY');
const inBooks = (...names: string[]) => ({ title: 'x', logbooks: names.map((name) => ({ name })) });
const openClients: StompClient[] = [];

async function opened(...of: Parameters<typeof StompClient.open>): Promise<StompClient> {
  const client = await StompClient.open(...of);
  openClients.push(client);
  return client;
}
async function subscribed(...of: Parameters<typeof StompClient.subscribe>): Promise<StompClient> {
  const client = await StompClient.subscribe(...of);
  openClients.push(client);
  return client;
}
/** Resolves to all messages that arrive before the echo of a frame that is sent now. */
async function messagesUntilEcho(client: StompClient): Promise<string[]> {
  client.send('SEND', { destination: '/logbook/web-socket/echo' }, 'now');
  const bodies: string[] = [];
  for (;;) {
    const { body } = await client.next('MESSAGE');
    if (body === 'now') return bodies;
    bodies.push(body);
  }
}
/**
 * Resolves once each node has sent the messages of all earlier writes: a node is notified of the writes of another one
 * with a delay.
 */
async function messagesSent(logbook: TestService): Promise<void> {
  const clients = [await subscribed(logbook.base), await subscribed(logbook.base)];
  const { id } = await logbook.create();
  await logbook.post(`/logs/${id}`, inBooks('operations'));
  const last = changeMessage('LOG_ENTRY_UPDATED', String(id));
  for (const client of clients) while ((await client.next('MESSAGE')).body !== last);
}
/** The status of the response that refuses a WebSocket. */
async function refusal(base: string, options: object = {}): Promise<number | undefined> {
  const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/web-socket`, options);
  socket.on('error', () => undefined);
  const [request, response] = await once(socket, 'unexpected-response');
  request.destroy();
  return response.statusCode;
}

describe('without sign-in', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  beforeEach(() => messagesSent(logbook));
  afterAll(async () => {
    for (const client of openClients.splice(0)) await client.close();
    await logbook.stop();
  });

  test('@stomp/stompjs receives messages of new and edited entries on the topic below the path of the socket', async () => {
    Object.assign(globalThis, { WebSocket });
    const client = new Client({ brokerURL: `${logbook.base.replace('http', 'ws')}/web-socket`, reconnectDelay: 0 });
    const messages: IMessage[] = [];
    await new Promise<void>((resolve) => {
      client.onConnect = () => {
        client.watchForReceipt('subscribed', () => resolve());
        const receipt = { receipt: 'subscribed' };
        client.subscribe('/logbook/web-socket/messages', (message) => messages.push(message), receipt);
      };
      client.activate();
    });
    const { id } = await logbook.create();
    await logbook.post(`/logs/${id}`, inBooks('operations'));
    await expect.poll(() => messages.length).toBe(2);
    expect(messages.map(({ body }) => body)).toEqual([created, changeMessage('LOG_ENTRY_UPDATED', String(id))]);
    expect(messages[0]?.headers).toMatchObject({
      subscription: 'sub-0',
      'content-type': 'text/plain',
      destination: '/logbook/web-socket/messages',
    });
    const ended = new Promise((resolve) => {
      client.onWebSocketClose = resolve;
    });
    await client.deactivate();
    expect(await ended).toMatchObject({ code: 1000 });
  });

  test.each(['1.0', '1.1', '1.2'] as const)(
    'STOMP %s without a subprotocol or host header, behind a proxy',
    async (version) => {
      const client = await opened(logbook.base, { version });
      expect(client.socket.protocol).toBe('');
      client.send('CONNECT', version === '1.0' ? {} : { 'accept-version': version, 'heart-beat': '0,0' });
      expect((await client.next('CONNECTED')).headers).toMatchObject({ version });
      const destination = '/proxied/at/web-socket/messages';
      client.send('SUBSCRIBE', { ...(version !== '1.0' && { id: 'a:b' }), destination, ack: 'client', receipt: '1' });
      expect((await client.next('RECEIPT')).headers).toEqual({ 'receipt-id': '1' });
      await logbook.create();
      const message = await client.next('MESSAGE');
      expect(message).toMatchObject({ body: created, headers: { destination } });
      expect(message.headers.subscription).toBe(version === '1.0' ? undefined : 'a:b');
      expect('ack' in message.headers).toBe(version === '1.2');
      client.send('ACK', {
        id: message.headers.ack ?? '',
        'message-id': message.headers['message-id'] ?? '',
        receipt: '2',
      });
      await client.next('RECEIPT');
      client.send('UNSUBSCRIBE', { ...(version === '1.0' ? { destination } : { id: 'a:b' }), receipt: '3' });
      await client.next('RECEIPT');
      await logbook.create();
      client.send('DISCONNECT', { receipt: 'bye' });
      expect((await client.next('RECEIPT')).headers).toEqual({ 'receipt-id': 'bye' });
      expect(await client.closed).toEqual({ code: 1000, reason: '' });
    },
  );

  test.each([
    [['v10.stomp', 'v11.stomp', 'v12.stomp'], 'v12.stomp'],
    [['v11.stomp'], 'v11.stomp'],
  ])('of the subprotocols %j, %s is selected', async (subprotocols, chosen) => {
    const client = await opened(logbook.base, { subprotocols });
    expect(client.socket.protocol).toBe(chosen);
  });

  test('works over TLS', async () => {
    const base = `${logbook.service.addresses.https}/logbook`;
    const client = await opened(base, { rejectUnauthorized: false });
    client.send('STOMP', { 'accept-version': '1.2', host: 'x' });
    await client.next('CONNECTED');
    client.send('SUBSCRIBE', { id: '0', destination: '/logbook/web-socket/messages', receipt: 'r' });
    await client.next('RECEIPT');
    await logbook.create();
    expect(await client.bodies(1)).toEqual([created]);
  });

  test('notifyWsClients=false: no message on any topic; a reply sends messages for both entries', async () => {
    const [one, two] = [await subscribed(logbook.base), await subscribed(logbook.base, { topic: '/topic/entries' })];
    const { id } = await logbook.create({}, '?notifyWsClients=false');
    await logbook.post(`/logs/${id}?notifyWsClients=false`, inBooks('operations'));
    const reply = await logbook.create({}, `?inReplyTo=${id}`);
    expect((await one.bodies(2)).toSorted()).toEqual([changeMessage('LOG_ENTRY_UPDATED', String(id)), created]);
    expect((await two.bodies(2)).map((body) => JSON.parse(body).id)).toEqual(expect.arrayContaining([id, reply.id]));
  });

  test('/topic/entries sends the entry as GET returns it, /topic/logbooks/{name} those of that logbook, ignoring case', async () => {
    const all = await subscribed(logbook.base, { topic: '/topic/entries' });
    const some = await subscribed(logbook.base, { topic: '/topic/logbooks/CONTROLS' });
    await logbook.put('/logbooks/controls', { name: 'controls', owner: 'x' });
    const first = await logbook.create();
    const second = await logbook.create({ source: 'é'.repeat(30_000), logbooks: [{ name: 'controls' }] });
    expect((await all.bodies(2)).map((body) => JSON.parse(body))).toEqual([first, second]);
    const message = await some.next('MESSAGE');
    expect(message.headers['content-type']).toBe('application/json');
    expect(JSON.parse(message.body)).toEqual((await logbook.get(`/logs/${second.id}`)).body);
  });

  test('an entry can be read when its message arrives, and messages arrive in the order of the changes', async () => {
    const client = await subscribed(logbook.base, { topic: '/topic/entries' });
    const { feed } = logbook.service.storage.committed;
    const before = await feed.newest();
    const entries = Promise.all(Array.from({ length: 50 }, () => logbook.create()));
    const ids: number[] = [];
    for (let at = 0; at < 50; at += 1) {
      const { id } = JSON.parse((await client.next('MESSAGE')).body);
      expect((await logbook.get(`/logs/${id}`)).status).toBe(200);
      ids.push(id);
    }
    const made = new Set((await entries).map(({ id }) => id));
    const changes = (await feed.listAfter(before, 100)).filter(isIntact).map(({ entryId }) => entryId);
    expect(ids).toEqual(changes.filter((id) => made.has(id)));
    expect(new Set(ids)).toEqual(made);
  });

  test('SEND is echoed to the sender only; clients cannot publish to others', async () => {
    const [one, two] = [await subscribed(logbook.base), await subscribed(logbook.base)];
    one.send(
      'SEND',
      { destination: '/logbook/web-socket/echo', 'content-type': 'text/x\\nsubscription:other' },
      'hällo',
    );
    expect(await one.next('MESSAGE')).toMatchObject({
      body: 'hällo',
      headers: { subscription: 's', 'content-type': 'text/x\nsubscription:other' },
    });
    for (const destination of ['/logbook/web-socket/messages', '/topic/entries', '/queue/x']) {
      const sender = await subscribed(logbook.base);
      sender.send('SEND', { destination, receipt: 'x' }, created);
      expect((await sender.next('ERROR')).headers['receipt-id']).toBe('x');
    }
    expect(await messagesUntilEcho(two)).toEqual([]);
  });

  test('a transaction holds SEND frames until COMMIT, and ABORT discards them', async () => {
    const client = await subscribed(logbook.base);
    const echo = (transaction: string) =>
      client.send('SEND', { destination: '/logbook/web-socket/echo', transaction }, transaction);
    client.send('BEGIN', { transaction: 'a' });
    client.send('BEGIN', { transaction: 'b' });
    echo('a');
    echo('b');
    client.send('ABORT', { transaction: 'a' });
    expect(await messagesUntilEcho(client)).toEqual([]);
    client.send('COMMIT', { transaction: 'b', receipt: 'done' });
    expect(await client.bodies(1)).toEqual(['b']);
    await client.next('RECEIPT');
    client.send('COMMIT', { transaction: 'b' });
    await client.next('ERROR');
  });

  test('403 for a page of an origin that is not allowed', async () => {
    expect(await refusal(logbook.base, { origin: 'https://elsewhere.example' })).toBe(403);
    for (const origin of ['http://localhost:3000', logbook.origin]) await opened(logbook.base, { origin });
  });

  test('an upgrade to another protocol than WebSocket is ignored, and the request is processed', async () => {
    expect((await logbook.get('/web-socket')).body).toMatchObject({ status: 400, code: 'live.websocket-required' });
    const socket = openSocket(logbook.origin);
    const json = JSON.stringify(inBooks('operations'));
    const upgradeHeaders = 'host: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n';
    socket.write(
      `PUT /logbook/logs HTTP/1.1\r\n${upgradeHeaders}authorization: ${basicAuth()}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`,
    );
    setImmediate(() => socket.write(json));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
    socket.write(`GET /logbook/tags HTTP/1.1\r\n${upgradeHeaders}\r\n`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
    // While an earlier response is pending, an upgrade closes the connection, with no other effect.
    for (const upgrade of ['h2c', 'websocket']) {
      const pipelined = openSocket(logbook.origin);
      pipelined.write(
        `GET /logbook/logs HTTP/1.1\r\nhost: x\r\n\r\nGET /logbook/tags HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: ${upgrade}\r\n\r\n`,
      );
      pipelined.resume();
      await new Promise((resolve) => pipelined.once('close', resolve));
    }
    socket.destroy();
    expect((await logbook.get('/tags')).status).toBe(200);
  });

  test('a stop closes connections with a close frame', async () => {
    const other = await TestService.start();
    const [idle, silent] = [await subscribed(other.base), await subscribed(other.base)];
    silent.socket.pause();
    await other.stop();
    expect(await idle.closed).toMatchObject({ code: 1001 });
  });
});

describe('with sign-in', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await makeTempDir();
  });
  afterAll(async () => {
    await rm(dir, { recursive: true });
  });
  const authorization = basicAuth();
  const credentials = { login: 'user', passcode: 'userPass' };

  async function cookieOf(logbook: TestService): Promise<string> {
    const response = await logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null });
    return response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  }

  test('requireSignInForReads: clients sign in by header, session, or login and passcode; others are refused', async () => {
    const logbook = await TestService.start({ requireSignInForReads: 'true' });
    const cookie = await cookieOf(logbook);
    for (const [options, headers] of [
      [{ headers: { authorization } }, {}],
      [{ headers: { cookie } }, {}],
      [{}, credentials],
    ] as const) {
      const client = await StompClient.open(logbook.base, options);
      client.send('CONNECT', { 'accept-version': '1.2', ...headers });
      // The next frame waits for the sign-in.
      client.send('SUBSCRIBE', { id: '1', destination: '/logbook/web-socket/messages', receipt: 'r' });
      expect((await client.next('CONNECTED')).headers['user-name']).toBe('user');
      await client.next('RECEIPT');
      await client.close();
    }
    const anonymous = await StompClient.open(logbook.base);
    anonymous.send('CONNECT', { 'accept-version': '1.2' });
    expect((await anonymous.next('ERROR')).body).toContain('sign-in');
    expect(await anonymous.closed).toMatchObject({ code: 1008 });
    expect(await refusal(logbook.base, { headers: { authorization: basicAuth('user:wrong') } })).toBe(401);
    await logbook.stop();
  });

  test('passwords cannot be guessed with CONNECT: failed attempts are throttled as for requests', async () => {
    const logbook = await TestService.start({ requireSignInForReads: 'true' });
    const errors: string[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const client = await StompClient.open(logbook.base);
      client.send('CONNECT', { 'accept-version': '1.2', login: 'admin', passcode: `guess ${attempt}` });
      errors.push((await client.next('ERROR')).body);
      await client.closed;
    }
    expect(errors[0]).toContain('wrong');
    expect(errors.at(-1)).toContain('Too many');
    const request: CallOptions = { as: 'admin:adminPass', method: 'POST', json: [] };
    expect((await logbook.call('/logs/group', request)).status).toBe(429);
    await logbook.stop();
  });

  test('clients receive no messages of entries that they may not read, on any topic', async () => {
    const file = join(dir, 'access.properties');
    await writeFile(file, 'Safety.read = user:user\n');
    const logbook = await TestService.start({ logbookAccessFile: file });
    await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, { as: 'admin:adminPass' });
    const topics = ['/logbook/web-socket/messages', '/topic/entries', '/topic/logbooks/safety'];
    const clients = async (headers: object) =>
      Promise.all(topics.map((topic) => subscribed(logbook.base, { topic, headers: { ...headers } })));
    const insiders = await clients(credentials);
    const outsiders = await clients({});
    const { id } = await logbook.create(inBooks('Safety', 'operations'));
    await logbook.post(`/logs/${id}`, inBooks('Safety'));
    const open = await logbook.create();
    for (const client of insiders.slice(0, 2)) expect(await client.bodies(3)).toHaveLength(3);
    expect(await insiders[2]?.bodies(2)).toHaveLength(2);
    expect(await outsiders[0]?.bodies(1)).toEqual([created]);
    expect(JSON.parse((await outsiders[1]?.bodies(1))?.[0] ?? '').id).toBe(open.id);
    for (const client of outsiders) expect(await messagesUntilEcho(client)).toEqual([]);
    // An edit that moves it to an open logbook is sent to them.
    await logbook.post(`/logs/${id}`, inBooks('operations'));
    expect(await outsiders[0]?.bodies(1)).toEqual([changeMessage('LOG_ENTRY_UPDATED', String(id))]);
    for (const client of openClients.splice(0)) await client.close();
    await logbook.stop();
  });

  test('503 beyond maxWebSocketConnections, until a connection closes', async () => {
    const logbook = await TestService.start({ maxWebSocketConnections: '2' });
    // Each node counts its own.
    const { base } = logbook;
    const [one, two] = [await subscribed(base), await subscribed(base)];
    expect(await refusal(base)).toBe(503);
    const metrics = await fetch(new URL('/metrics', base)).then((response) => response.text());
    expect(metrics).toContain('logbook_websocket_connections 2\n');
    await one.close();
    await expect
      .poll(async () =>
        subscribed(base).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await two.close();
    await logbook.stop();
  });
});
