import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSocket } from '../fixtures/raw-http.js';
import { type Answer, type CallOptions, TestService } from '../fixtures/service.js';

/** Maximum number of waiting requests of one client, in this file. */
const maxWaiting = 20;
/** Number of requests of which some are refused. */
const flood = 60;

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({
    searchThreads: '2',
    maxWaitingPerClient: String(maxWaiting),
    maxWaitingLongWritesPerClient: '24',
    trustedProxies: '127.0.0.1',
  });
  for (let at = 0; at < 12; at++) {
    const words = at < 3 ? 'word1 word2 ' : `word${at} `;
    await logbook.create({ title: `long ${at}`, source: words.repeat(35_000) }, '?markup=none');
  }
});
afterAll(() => logbook.stop());

let slowSearches = 0;
/**
 * Searches the long texts that have these words, which takes a while. Each search differs: results of the same one are
 * kept.
 */
const slowSearch = () => `/logs/search?size=0&phrase=word1 word1 word2&from=${slowSearches++}`;

/** Options of a request that a proxy forwards for a client that is not signed in. */
const from = (address: string): CallOptions => ({ as: null, headers: { 'x-forwarded-for': address } });

/** Signs a user in; returns the options of the requests of this user's browser. */
async function withSession(username: string) {
  const { headers } = await logbook.post('/login', { username, password: `${username}Pass` }, { as: null });
  return { as: null, headers: { cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? '' } };
}

/** Sends requests at the same time; counts those that were answered so far. */
function sendAll(count: number, send: (at: number) => Promise<Answer>) {
  const answers: Answer[] = [];
  const all = Promise.all(
    Array.from({ length: count }, async (_, at) => {
      answers.push(await send(at));
    }),
  );
  return { answers, all };
}

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();
const served = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;

/** Sends a flood and, concurrently, requests of another client, one after the other. */
async function during(sendFlood: (at: number) => Promise<Answer>, sendOther: () => Promise<Answer>) {
  const flooding = sendAll(flood, sendFlood);
  // The flood has arrived as soon as the first of its requests is refused.
  while (!flooding.answers.some(({ status }) => status === 429)) await new Promise(setImmediate);
  const others = [await sendOther()];
  const servedBefore = served(flooding.answers);
  for (let at = 0; at < 2; at++) others.push(await sendOther());
  await flooding.all;
  return { others, servedBefore, answers: flooding.answers };
}

describe.each([
  ['searches', slowSearch],
  ['feeds', (at: number) => `/logs/rss?text=word1&from=${at}`],
])('a flood of %s of one client', (_, path) => {
  test('429 request.too-many-waiting for that client only; others are served before the flood is', async () => {
    const { others, servedBefore, answers } = await during(
      (at) => logbook.get(path(at), from('10.1.1.1')),
      () => logbook.get('/logs/search?size=1', from('10.1.1.2')),
    );
    expect(statuses(others)).toEqual([200]);
    expect(statuses(answers)).toEqual([200, 429]);
    expect(servedBefore).toBeLessThan(served(answers));
    expect(served(answers)).toBeGreaterThanOrEqual(maxWaiting);
    const refusal = answers.find(({ status }) => status === 429);
    expect(refusal?.headers.get('retry-after')).toBe('2');
    expect(refusal?.body).toMatchObject({
      code: 'request.too-many-waiting',
      message: expect.stringContaining('Too many searches of the address 10.1.1.1 are waiting.'),
    });
    expect(refusal?.body.message).toContain(`${maxWaiting} (setting maxWaitingPerClient)`);
  });
});

test('a flood of short reads: the reads of others are received and served between them', async () => {
  const flooding = sendAll(600, () => logbook.get('/logs/1', from('10.1.2.1')));
  while (flooding.answers.length === 0) await new Promise(setImmediate);
  const other = await logbook.get('/logs/1', from('10.1.2.2'));
  const answeredBefore = flooding.answers.length;
  expect(other.status).toBe(200);
  await flooding.all;
  expect(answeredBefore).toBeLessThan(flooding.answers.length);
  for (const status of statuses(flooding.answers)) expect([200, 429]).toContain(status);
});

test('a client is a /64 network of IPv6, or a user who is signed in', async () => {
  const session = await withSession('user');
  const flooding = sendAll(flood, (at) => logbook.get(slowSearch(), from(`2001:db8:0:1::${at + 1}`)));
  while (!flooding.answers.some(({ status }) => status === 429)) await new Promise(setImmediate);
  const sameAddress = { as: null, headers: { ...session.headers, 'x-forwarded-for': '2001:db8:0:1::1' } };
  expect((await logbook.get('/logs/search?size=1', sameAddress)).status).toBe(200);
  expect((await logbook.get('/logs/search?size=1', from('2001:db8:0:2::1'))).status).toBe(200);
  await flooding.all;
  const refusal = flooding.answers.find(({ status }) => status === 429);
  expect(refusal?.body.message).toContain('the address 2001:db8:0:1 ');
});

test('of two users who are signed in at one address, each is a client', async () => {
  const [admin, user] = [await withSession('admin'), await withSession('user')];
  const { others, servedBefore, answers } = await during(
    () => logbook.get(slowSearch(), admin),
    () => logbook.get('/logs/search?size=1', user),
  );
  expect(statuses(others)).toEqual([200]);
  expect(statuses(answers)).toEqual([200, 429]);
  expect(servedBefore).toBeLessThan(served(answers));
});

test('a burst of short writes of one user: none is refused or lost, and the write of another is answered before them', async () => {
  const [burst, other] = [await withSession('user'), await withSession('admin')];
  const entry = (title: string) => ({ title, logbooks: [{ name: 'operations' }] });
  const flooding = sendAll(10 * maxWaiting, (at) => logbook.put('/logs', entry(`burst ${at}`), burst));
  while (flooding.answers.length === 0) await new Promise(setImmediate);
  expect((await logbook.put('/logs', entry('of another'), other)).status).toBe(200);
  const answeredBefore = flooding.answers.length;
  await flooding.all;
  expect(statuses(flooding.answers)).toEqual([200]);
  expect(answeredBefore).toBeLessThan(flooding.answers.length);
  const { body } = await logbook.get('/logs/search?title=burst&size=0', other);
  expect(body.hitCount).toBe(10 * maxWaiting);
});

test('long writes of one user: 429 for that user only, and the short writes of others are stored before them', async () => {
  const title = 'flooding';
  const long = { title, source: 'x '.repeat(300_000), logbooks: [{ name: 'operations' }] };
  const { others, servedBefore, answers } = await during(
    () => logbook.put('/logs?markup=none', long, { as: 'admin:adminPass' }),
    () => logbook.put('/logs', { title: 'short', logbooks: [{ name: 'operations' }] }),
  );
  expect(statuses(others)).toEqual([200]);
  expect(statuses(answers)).toEqual([200, 429]);
  expect(servedBefore).toBeLessThan(served(answers));
  // The speed at which the bodies arrive decides which are refused first.
  for (const { body } of answers.filter(({ status }) => status === 429)) {
    expect(['request.too-many-waiting', 'request.too-many-arriving']).toContain(body.code);
    expect(body.message).toMatch(/ user “admin” .*\(setting maxWaitingLongWritesPerClient/);
  }
  // A search reads the texts that are not indexed yet, within its limit of time.
  await logbook.service.searchIndex.waitUntilIndexed();
  expect((await logbook.search(`title=${title}&size=0`)).hitCount).toBe(served(answers));
});

async function readUnindexedWrites(): Promise<number> {
  const body = (await (await fetch(`${logbook.origin}/readyz`)).json()) as {
    checks: { searchIndex: { unindexedWrites: number } };
  };
  return body.checks.searchIndex.unindexedWrites;
}

test.each([
  ['as JSON', (entry: object) => logbook.put('/logs?markup=none', entry)],
  ['as forms', (entry: object) => logbook.sendForm('PUT', entry, [], '?markup=none')],
])(
  'long writes of one user %s wait for the search index, so that searches of others do not read their texts',
  async (_, write) => {
    const source = (at: number) => Array.from({ length: 20_000 }, (_, word) => `w${at}x${word}`).join(' ');
    let mostUnindexed = 0;
    const writes = sendAll(10, async (at) => {
      const answer = await write({ title: 'long', source: source(at), logbooks: [{ name: 'operations' }] });
      mostUnindexed = Math.max(mostUnindexed, await readUnindexedWrites());
      return answer;
    });
    await writes.all;
    expect(statuses(writes.answers)).toEqual([200]);
    expect(mostUnindexed).toBeLessThanOrEqual(2);
  },
);

test('a client that does not read its long response holds no search thread', async () => {
  const socket = openSocket(logbook.origin);
  socket.write('GET /logbook/logs?text=word* HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 10.1.1.9\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  expect((await logbook.get('/logs/search?size=1', from('10.1.1.9'))).status).toBe(200);
  socket.destroy();
});

test('a client that disconnects while it waits makes room', async () => {
  const controller = new AbortController();
  const headers = { 'x-forwarded-for': '10.1.1.10' };
  const waiting = Array.from({ length: flood }, () =>
    fetch(`${logbook.base}${slowSearch()}`, { headers, signal: controller.signal }).then(
      ({ status }) => status,
      () => 'disconnected',
    ),
  );
  await Promise.race(waiting);
  controller.abort();
  await Promise.all(waiting);
  let status = 0;
  do ({ status } = await logbook.get('/logs/search?size=1', from('10.1.1.10')));
  while (status === 429);
  expect(status).toBe(200);
});

/** Sends requests at the same time on one connection; resolves to the statuses of their responses. */
async function sendPipelined(count: number, path: string, address: string): Promise<string[]> {
  const socket = openSocket(logbook.origin);
  const request = `GET /logbook${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n`;
  socket.write(`${request}\r\n`.repeat(count - 1));
  socket.write(`${request}connection: close\r\n\r\n`);
  let received = '';
  for await (const chunk of socket) received += (chunk as Buffer).toString('latin1');
  return received.match(/(?<=HTTP\/1\.1 )\d{3}|"code":"[^"]+"|Retry-After: \d+|Too many \w+/gi) ?? [];
}

describe('a flood of reads of one client', () => {
  let attachment: string;
  beforeAll(async () => {
    const files = [{ name: 'a.txt', content: 'x' }];
    const entry = { title: 'file', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
    const { body } = await logbook.sendForm('PUT', entry, files);
    attachment = `/attachment/${body.attachments[0].id}`;
    await logbook.put('/templates', { id: 't', title: 'template' });
  });

  test.each([
    ['tags', 'reads', () => '/tags'],
    ['properties', 'reads', () => '/properties'],
    ['templates', 'reads', () => '/templates'],
    ['a template', 'reads', () => '/templates/t'],
    ['the configuration', 'reads', () => '/configuration'],
    ['a file', 'downloads', () => attachment],
  ])('of %s: 429 request.too-many-waiting for too many %s, for that client only', async (_, requests, path) => {
    const flooding = sendPipelined(400, path(), '10.1.1.11');
    const [other] = await sendPipelined(1, path(), '10.1.1.12');
    expect(other).toBe('200');
    const answers = await flooding;
    const of = (answer: string) => answers.filter((one) => one.toLowerCase() === answer).length;
    expect(of('200') + of('429')).toBe(400);
    expect(of('200')).toBeGreaterThanOrEqual(maxWaiting);
    expect(of('429')).toBeGreaterThan(0);
    expect(of('"code":"request.too-many-waiting"')).toBe(of('429'));
    expect(of('retry-after: 2')).toBe(of('429'));
    expect(of(`too many ${requests}`)).toBe(of('429'));
  });
});

test('429 request.too-many-open: downloads that a client does not read hold files, and are bounded for that client', async () => {
  const files = [{ name: 'long.bin', content: new Uint8Array(12_000_000) }];
  const entry = { title: 'long', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'long.bin' }] };
  const { body } = await logbook.sendForm('PUT', entry, files);
  const path = `/attachment/${body.attachments[0].id}`;
  const stalled = [];
  for (let at = 0; at < maxWaiting; at++) {
    const socket = openSocket(logbook.origin);
    socket.write(`GET /logbook${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 10.1.1.13\r\n\r\n`);
    await once(socket, 'readable');
    stalled.push(socket);
  }
  const refusal = await logbook.get(path, from('10.1.1.13'));
  expect(refusal).toMatchObject({ status: 429, body: { code: 'request.too-many-open' } });
  expect(refusal.headers.get('etag')).toBeNull();
  expect(refusal.body.message).toContain(
    `The limit is ${maxWaiting} at the same time, or fewer while many clients read, for the address 10.1.1.13 (setting maxWaitingPerClient).`,
  );
  expect((await logbook.get(path, from('10.1.1.14'))).status).toBe(200);
  for (const socket of stalled) socket.destroy();
  await expect.poll(async () => (await logbook.get(path, from('10.1.1.13'))).status).toBe(200);
});
