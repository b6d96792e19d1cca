import { createHmac } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../fixtures/free-port.js';
import { listening, portOf } from '../fixtures/local-server.js';
import { Receiver } from '../fixtures/receiver.js';
import { makeTempDir, type TestService } from '../fixtures/service.js';
import {
  asAdmin,
  chatTo,
  inOneMoment,
  position,
  startWithSubscribers,
  stateOf,
  stateWhen,
  webhookTo,
} from '../fixtures/subscribed-logbook.js';

let target: Receiver;
let dataDir: string;
let logbook: TestService | undefined;
beforeEach(async () => {
  target = await Receiver.start();
  dataDir = await makeTempDir();
});
afterEach(async () => {
  await logbook?.stop();
  logbook = undefined;
  await target.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = async (...args: Parameters<typeof startWithSubscribers>): Promise<TestService> => {
  logbook = await startWithSubscribers(args[0], { dataDir, ...args[1] });
  return logbook;
};
const entry = (title: string, fields: object = {}) => ({ title, logbooks: [{ name: 'operations' }], ...fields });

describe('a webhook', () => {
  test('receives an entry as the API returns it, with a signature that the receiver can verify', async () => {
    const startedMs = Date.now();
    const settings = { publicUrl: 'https://log.example.org/' };
    const it = await start({ hook: webhookTo(`${target.origin}/in?x=1`) }, { settings });
    const created = await it.create({ title: 'Beam lost – “ü”', level: 'Problem' });
    const [received] = await target.waitFor(1);
    expect(received?.path).toBe('/in?x=1');
    expect(received?.json).toEqual({
      deliveryId: expect.stringMatching(/^[0-9a-f]{32}$/),
      subscriber: 'hook',
      changes: [
        {
          sequence: position(1),
          kind: 'created',
          link: `https://log.example.org/entries/${created.id}`,
          entry: (await it.get(`/logs/${created.id}`)).body,
        },
      ],
    });
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Logbook',
      'x-logbook-delivery': received?.json.deliveryId,
    });
    const [, time, signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(received?.headers['x-logbook-signature'])) ?? [];
    const expected = createHmac('sha256', 'a secret of the two').update(`${time}.${received?.text}`).digest('hex');
    expect(signature).toBe(expected);
    expect(Number(time)).toBeGreaterThanOrEqual(Math.floor(startedMs / 1_000));
    expect(Number(time)).toBeLessThanOrEqual(Date.now() / 1_000);
  });

  test('receives only entries that match its search and events, and none with notifyWsClients=false', async () => {
    const it = await start({
      hook: webhookTo(target.origin, { search: 'level=Problem&title=pump*', events: 'created, edited' }),
    });
    await it.create({ title: 'Pump quiet', level: 'Problem' }, '?notifyWsClients=false');
    await it.create({ title: 'Pump fine', level: 'Info' });
    await it.create({ title: 'Valve', level: 'Problem' });
    const { id } = await it.create({ title: 'Pumps', level: 'Problem' });
    await target.waitFor(1);
    await it.post(`/logs/${id}`, entry('Pumps again', { level: 'Problem' }));
    await target.waitFor(2);
    expect(target.titles).toEqual(['Pumps', 'Pumps again']);
    expect(target.received.map(({ json }) => json.changes[0].kind)).toEqual(['created', 'edited']);
    const done = await stateWhen(it, 'hook', ({ lag }) => lag === 0);
    expect(done).toMatchObject({ status: 'idle', deadLetters: 0, lastError: '', pending: null });
  });

  test('receives a burst in one delivery, in order', async () => {
    const it = await start({ hook: webhookTo(target.origin, { batchWindowSeconds: '1' }) });
    await inOneMoment(async () => {
      for (let index = 0; index < 5; index++) await it.create({ title: `entry ${index}` });
    });
    await target.waitFor(1);
    expect(target.titles).toEqual(['entry 0', 'entry 1', 'entry 2', 'entry 3', 'entry 4']);
  });

  test('that is down for a while receives everything in order, each attempt under the same id', async () => {
    target.answer = (_, index) => (index < 4 ? 500 : 200);
    const it = await start({ hook: webhookTo(target.origin) });
    await it.create({ title: 'first' });
    await target.waitFor(2);
    await it.create({ title: 'second' });
    await target.waitFor(6);
    expect(target.titles).toEqual(['first', 'first', 'first', 'first', 'first', 'second']);
    const ids = target.received.map(({ json }) => json.deliveryId);
    expect(new Set(ids.slice(0, 5)).size).toBe(1);
    expect(ids[5]).not.toBe(ids[0]);
    const state = await stateWhen(it, 'hook', ({ lag }) => lag === 0);
    expect(state.lastError).toMatch(/responded with status 500/);
  });

  test('that refuses connections is retried until it accepts them', async () => {
    const port = await freePort();
    const it = await start({ hook: webhookTo(`http://127.0.0.1:${port}/`) });
    await it.create({ title: 'first' });
    await stateWhen(it, 'hook', ({ pending }) => pending?.attempts >= 2);
    expect((await stateOf(it, 'hook')).lastError).toMatch(/ECONNREFUSED/);
    const later = await Receiver.start({ port });
    try {
      await later.waitFor(1);
      expect(later.titles).toEqual(['first']);
    } finally {
      await later.stop();
    }
  });

  test('that hangs or is down delays no other, and the service stops promptly', async () => {
    target.answer = () => 'hang';
    const other = await Receiver.start();
    try {
      const hanging = webhookTo(target.origin, { timeoutSeconds: '60' });
      const it = await start({
        hanging,
        dead: webhookTo('http://127.0.0.1:1/'),
        other: webhookTo(other.origin),
      });
      for (let index = 0; index < 3; index++) {
        await it.create({ title: `entry ${index}` });
        await other.until(() => other.titles.length > index);
      }
      await target.waitFor(1);
      expect(other.titles).toEqual(['entry 0', 'entry 1', 'entry 2']);
      expect(await stateOf(it, 'hanging')).toMatchObject({ status: 'delivering', lastSuccessDate: null });
      await it.stop({ keepData: true });
      // A time-out that had ended the attempt would be its last error.
      expect((await stateOf(await start({ hanging }), 'hanging')).lastError).toBe('');
    } finally {
      await other.stop();
    }
  });

  test('that times out is retried', async () => {
    target.answer = (_, index) => (index === 0 ? 'hang' : 200);
    const it = await start({ hook: webhookTo(target.origin, { timeoutSeconds: '0.2' }) });
    await it.create({ title: 'first' });
    await target.waitFor(2);
    const state = await stateWhen(it, 'hook', ({ lag }) => lag === 0);
    expect(state.lastError).toBe('No response within 0.2 s.');
    expect(target.received[1]?.json).toEqual(target.received[0]?.json);
  });

  test('catches up after the service was down; a new one begins after the newest change', async () => {
    const keys = webhookTo(target.origin);
    let it = await start({});
    await it.create({ title: 'before' });
    await it.stop({ keepData: true });
    it = await start({ hook: keys });
    await it.create({ title: 'first' });
    await target.waitFor(1);
    await stateWhen(it, 'hook', ({ lag }) => lag === 0);
    await it.stop({ keepData: true });
    it = await start({});
    await it.create({ title: 'second' });
    await it.create({ title: 'third' });
    expect(await stateOf(it, 'hook')).toMatchObject({
      status: 'not-configured',
      kind: '',
      lag: 2,
      sequence: position(2),
    });
    await it.stop({ keepData: true });
    it = await start({ hook: keys });
    await target.until(() => target.titles.length >= 3);
    expect(target.titles).toEqual(['first', 'second', 'third']);
  });

  test('follows redirects with the same request, and gives up on a redirect loop', async () => {
    target.answer = ({ path }) => {
      if (path === '/in') return { status: 307, headers: { location: '/moved' } };
      if (path === '/circle') return { status: 302, headers: { location: '/circle' } };
      return 200;
    };
    const it = await start({
      moved: webhookTo(`${target.origin}/in`),
      circle: webhookTo(`${target.origin}/circle`, { maxDeliveryAgeSeconds: '0' }),
    });
    await it.create({ title: 'first' });
    await target.until(() => target.received.some(({ path }) => path === '/moved'));
    const [first, moved] = ['/in', '/moved'].map((path) => target.received.find((one) => one.path === path));
    expect(moved?.text).toBe(first?.text);
    expect(moved?.headers['x-logbook-signature']).toBe(first?.headers['x-logbook-signature']);
    const circle = await stateWhen(it, 'circle', (state) => state.deadLetters > 0 && state.lastError !== '');
    expect(circle.lastError).toBe('More than 3 redirects.');
    expect(target.received.filter(({ path }) => path === '/circle')).toHaveLength(4);
  });

  test('is not redirected to a forbidden address', async () => {
    const forbidden = await Receiver.start({ host: '127.0.0.2' });
    try {
      target.answer = () => ({ status: 308, headers: { location: `${forbidden.origin}/internal` } });
      const it = await start({ hook: webhookTo(target.origin, { maxDeliveryAgeSeconds: '0' }) });
      await it.create({ title: 'first' });
      const state = await stateWhen(it, 'hook', ({ deadLetters }) => deadLetters > 0);
      expect(state.lastError).toMatch(/127\.0\.0\.2 is not a public address/);
      expect(forbidden.received).toEqual([]);
    } finally {
      await forbidden.stop();
    }
  });

  test('with a name that resolves to this machine receives nothing unless that is allowed', async () => {
    const url = `http://localhost:${target.port}/`;
    const it = await start({
      refused: webhookTo(url, { allowAddresses: '', maxDeliveryAgeSeconds: '0' }),
      allowed: webhookTo(url, { allowAddresses: '', allowPrivateAddresses: 'true' }),
    });
    await it.create({ title: 'first' });
    await target.waitFor(1);
    await stateWhen(it, 'refused', ({ deadLetters }) => deadLetters > 0);
    expect(target.received.map(({ json }) => json.subscriber)).toEqual(['allowed']);
  });

  test('the reports and the log contain no secrets', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
    target.answer = () => 500;
    const url = `http://us3r:pa55word@127.0.0.1:${target.port}/services/T0KEN?key=K3Y`;
    const it = await start(
      { hook: webhookTo(url, { maxDeliveryAgeSeconds: '0' }), chat: chatTo(url, { maxDeliveryAgeSeconds: '0' }) },
      { logger },
    );
    await it.create({ title: 'first' });
    await stateWhen(it, 'hook', ({ deadLetters }) => deadLetters > 0);
    await stateWhen(it, 'chat', ({ deadLetters }) => deadLetters > 0);
    expect(target.received[0]?.headers.authorization).toBe(`Basic ${btoa('us3r:pa55word')}`);
    const shown = [
      (await it.get('/subscribers', asAdmin)).text,
      (await it.get('/subscribers/hook/dead-letters', asAdmin)).text,
      (await it.get('/subscribers/chat/dead-letters', asAdmin)).text,
      ...lines,
    ].join('\n');
    expect(shown).toContain(target.origin);
    expect(shown).not.toMatch(/us3r|pa55word|T0KEN|K3Y|a secret of the two/);
  });
});

test('a response is complete at its status: a body that never ends is cut, and nothing is sent again', async () => {
  let requests = 0;
  const closed: Promise<unknown>[] = [];
  const endless = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      requests += 1;
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const trickle = setInterval(() => socket.write('1\r\nx\r\n'), 20);
      closed.push(
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve(clearInterval(trickle)));
        }),
      );
    });
  });
  await listening(endless);
  const url = `http://127.0.0.1:${portOf(endless)}/`;
  const it = await start({ hook: webhookTo(url, { timeoutSeconds: '60' }) });
  await it.create();
  const state = await stateWhen(it, 'hook', ({ lag }) => lag === 0);
  expect(state).toMatchObject({ lastError: '', deadLetters: 0, pending: null });
  await Promise.all(closed);
  await it.create();
  await stateWhen(it, 'hook', ({ lag }) => lag === 0);
  expect(requests).toBe(2);
  await Promise.all(closed);
  endless.close();
});

test('a target that responds with 101 and nothing else is retried', async () => {
  let requests = 0;
  const odd = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      requests += 1;
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    });
  });
  await listening(odd);
  const it = await start({ hook: webhookTo(`http://127.0.0.1:${portOf(odd)}/`) });
  await it.create();
  const failed = await stateWhen(it, 'hook', ({ pending }) => pending?.attempts >= 2);
  expect(failed.lastError).toMatch(/101|closed/);
  expect(requests).toBeGreaterThan(1);
  odd.close();
});

test('an entry that no longer matches after an edit is left out of a later attempt', async () => {
  target.answer = () => 500;
  const it = await start({ hook: webhookTo(target.origin, { search: 'logbooks=operations' }) });
  const { id } = await it.create({ title: 'open' });
  await target.waitFor(1);
  expect((await it.post(`/logs/${id}`, { title: 'SECRET', logbooks: [{ name: 'controls' }] })).status).toBe(200);
  target.answer = () => 200;
  await it.create({ title: 'later' });
  await stateWhen(it, 'hook', ({ lag, pending }) => lag === 0 && pending === null);
  expect(JSON.stringify(target.received)).not.toContain('SECRET');
  expect(target.titles).toContain('later');
});
