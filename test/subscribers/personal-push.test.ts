import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Subscribers } from '../../src/notifications/subscribers/subscribers.js';
import { reader, startOperatorInbox, writer } from '../fixtures/operator-inbox.js';
import { PushServer, type SubscribedBrowser } from '../fixtures/push-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { asAdmin } from '../fixtures/subscribed-logbook.js';

const hour = 3_600_000;

let dir: string;
let logbook: TestService;
let server: PushServer;

beforeAll(async () => {
  dir = await makeTempDir();
  server = await PushServer.start(dir);
  logbook = await startOperatorInbox(dir, server.settings);
});
afterAll(async () => {
  await logbook.stop();
  await server.stop();
  await rm(dir, { recursive: true });
});

const create = (title: string, query = '', by = writer) => logbook.create({ title }, query, by);
const add = (json: object) => logbook.put('/me/browsers', json, reader);
const browsers = async () => (await logbook.get('/me/delivery', reader)).body.browsers;
const subscribers = async () => (await logbook.get('/subscribers', asAdmin)).body;
const titlesOf = ({ received }: SubscribedBrowser) => received.map(({ titles }) => titles);
/** Adds a browser of the reader until the end of the test. */
const subscribe = async () => {
  const browser = server.subscribe();
  const { status, text, body } = await add(browser.subscription);
  expect(status, text).toBe(200);
  onTestFinished(async () => {
    expect((await logbook.call(`/me/browsers/${body.id}`, { method: 'DELETE', ...reader })).status).toBe(200);
  });
  return { id: body.id as string, browser };
};
const arrival = (browser: SubscribedBrowser, title: string) =>
  server.until(() => browser.received.some(({ titles }) => titles.includes(title)));

test('what concerns the user is shown by each browser from when it was added, but not what the user did', async () => {
  await create('before, @operator');
  await expect.poll(async () => (await logbook.get('/me/inbox', reader)).body.unread).toBe(1);
  const { browser } = await subscribe();
  const { id } = await create('question', '', reader);
  await create('own, @operator', '', reader);
  await create('answer', `?inReplyTo=${id}`);
  await arrival(browser, 'answer');
  const { browser: second } = await subscribe();
  await create('second answer', `?inReplyTo=${id}`);
  await arrival(second, 'second answer');
  await arrival(browser, 'second answer');
  expect(titlesOf(browser)).toEqual([['answer'], ['second answer']]);
  expect(titlesOf(second)).toEqual([['second answer']]);
  const [first, last] = browser.received;
  expect(first).toMatchObject({ contact: 'mailto:ops@example.org', entryIds: [id + 2] });
  // Notifications of one thread replace each other, and repeated ones have the same topic.
  expect([last?.thread, first?.topic, first?.id === last?.id]).toEqual([first?.thread, first?.id, false]);
});

test('access that is withdrawn before the delivery: nothing is sent', async () => {
  const { browser } = await subscribe();
  browser.statuses.push(503);
  const { id } = await create('to be hidden, @operator');
  await server.until(() => browser.statuses.length === 0);
  const moved = await logbook.post(`/logs/${id}`, { title: 'hidden', logbooks: [{ name: 'Secret' }] }, writer);
  expect(moved.status, moved.text).toBe(200);
  await create('still open, @operator');
  await arrival(browser, 'still open, @operator');
  expect(titlesOf(browser)).toEqual([['still open, @operator']]);
});

test('quiet hours: nothing is sent in them; what came is one notification afterwards', async () => {
  const { browser } = await subscribe();
  const noon = Date.UTC(2040, 0, 10, 12);
  vi.useFakeTimers({ toFake: ['Date'], now: noon });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const quiet = { from: '11:00', to: '13:00', zone: 'UTC' };
  const choose = (hours: object | null) => logbook.put('/me/delivery', { mail: false, quiet: hours }, reader);
  expect((await choose(quiet)).body.browsers).toHaveLength(1);
  for (const title of ['one, @operator', 'two, @operator']) await create(title);
  const newest = async () => (await logbook.get('/me/inbox', reader)).body.items[0].entry.title;
  await expect.poll(newest).toBe('two, @operator');
  await choose(quiet);
  expect(browser.received).toEqual([]);
  vi.setSystemTime(noon + 2 * hour);
  await choose(quiet);
  await arrival(browser, 'two, @operator');
  expect(titlesOf(browser)).toEqual([['one, @operator', 'two, @operator']]);
  await choose(null);
});

test.each([404, 410])('a browser whose push service answers %i is removed, with its subscriber', async (status) => {
  const { id, browser } = await subscribe();
  expect(await subscribers()).toMatchObject([
    { name: `browser ${id} ["embeddedLdap","operator"]`, kind: 'user', target: expect.stringContaining('127.0.0.1') },
  ]);
  browser.statuses.push(status);
  await create('nobody sees this, @operator');
  await expect.poll(browsers).toEqual([]);
  await expect.poll(subscribers).toEqual([]);
});

test('a browser whose subscription has ended renews it with the same id, and gets what was refused in the last hour', async () => {
  const { id, browser } = await subscribe();
  const end = async ({ statuses }: SubscribedBrowser, title: string) => {
    statuses.push(410);
    await create(`${title}, @operator`);
    await expect.poll(browsers).toEqual([]);
    await expect.poll(subscribers).toEqual([]);
  };
  await end(browser, 'refused');
  expect((await logbook.put('/me/delivery', { mail: false, quiet: null }, reader)).status).toBe(200);
  const next = server.subscribe();
  const renewal = { ...next.subscription, replaces: browser.endpoint };
  expect((await logbook.put('/me/browsers', renewal, writer)).body.code).toBe('delivery.bad-endpoint');
  expect((await add(renewal)).body).toEqual({ id, name: 'A browser' });
  await create('after the renewal, @operator');
  await arrival(next, 'after the renewal, @operator');
  expect(titlesOf(next)).toEqual([['refused, @operator'], ['after the renewal, @operator']]);

  await end(next, 'long ago');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hour });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const last = server.subscribe();
  expect((await add({ ...last.subscription, replaces: next.endpoint })).body).toEqual({ id, name: 'A browser' });
  await create('after an hour, @operator');
  await arrival(last, 'after an hour, @operator');
  expect(titlesOf(last)).toEqual([['after an hour, @operator']]);

  await end(last, 'refused again');
  await logbook.call(`/me/browsers/${id}`, { method: 'DELETE', ...reader });
  const late = { ...server.subscribe().subscription, replaces: last.endpoint };
  expect((await add(late)).body.code).toBe('delivery.bad-endpoint');
  expect(await browsers()).toEqual([]);
});

test('a browser that was added while its subscription was renewed is listed once', async () => {
  const { browser } = await subscribe();
  const { id, browser: next } = await subscribe();
  const renewal = { ...next.subscription, replaces: browser.endpoint };
  expect((await add(renewal)).body).toEqual({ id, name: 'A browser' });
  expect(await browsers()).toEqual([{ id, name: 'A browser' }]);
});

test('a refused message is a dead letter, and the next one arrives', async () => {
  const { browser } = await subscribe();
  browser.statuses.push(400);
  await create('refused, @operator');
  await expect.poll(subscribers).toMatchObject([{ deadLetters: 1, status: 'idle' }]);
  await create('next, @operator');
  await arrival(browser, 'next, @operator');
});

test('a subscription that is sent again is replaced; a user has at most ten, and they are told apart', async () => {
  const { id, browser } = await subscribe();
  expect((await add({ ...browser.subscription, name: 'Renamed' })).body).toEqual({ id, name: 'Renamed' });
  expect(await browsers()).toEqual([{ id, name: 'Renamed' }]);
  for (let number = 2; number <= 10; number++) await subscribe();
  expect((await add(server.subscribe().subscription)).body.code).toBe('delivery.too-many-browsers');
  expect(await browsers()).toHaveLength(10);
});

test('a browser whose subscription was replaced keeps its id, and gets what came before; a removed one stays removed', async () => {
  const { id, browser } = await subscribe();
  browser.statuses.push(...Array.from({ length: 20 }, () => 503));
  await create('before the change, @operator');
  await server.until(() => browser.statuses.length < 20);
  const next = server.subscribe();
  const replaced = { ...next.subscription, replaces: browser.endpoint };
  for (const _ of [1, 2]) expect((await add(replaced)).body).toEqual({ id, name: 'A browser' });
  await arrival(next, 'before the change, @operator');
  expect(titlesOf(browser)).toEqual([]);
  expect(await browsers()).toHaveLength(1);
  await logbook.call(`/me/browsers/${id}`, { method: 'DELETE', ...reader });
  const late = { ...server.subscribe().subscription, replaces: next.endpoint };
  expect((await add(late)).body.code).toBe('delivery.bad-endpoint');
  expect(await browsers()).toEqual([]);
});

test('a push service that ends a subscription while the browser renews it: the message goes to the new one', async () => {
  const { browser } = await subscribe();
  const next = server.subscribe();
  browser.statuses.push(410);
  browser.answering = async () => {
    expect((await add({ ...next.subscription, replaces: browser.endpoint })).status).toBe(200);
  };
  await create('during the change, @operator');
  await arrival(next, 'during the change, @operator');
  expect(await browsers()).toHaveLength(1);
});

test('a browser that renews its subscription before its channel could be ended gets the message', async () => {
  const { id, browser } = await subscribe();
  const ending = vi.spyOn(Subscribers.prototype, 'endUser').mockRejectedValue(new Error('the disk is full'));
  onTestFinished(() => ending.mockRestore());
  browser.statuses.push(410);
  await create('kept, @operator');
  await expect.poll(browsers).toEqual([]);
  // The retry finds no browser.
  await expect.poll(async () => (await subscribers())[0].pending?.attempts, { timeout: 20_000 }).toBeGreaterThan(1);
  const next = server.subscribe();
  expect((await add({ ...next.subscription, replaces: browser.endpoint })).body).toEqual({ id, name: 'A browser' });
  await arrival(next, 'kept, @operator');
});

test('only https addresses of allowed push services are accepted, with keys of a browser', async () => {
  const { subscription } = server.subscribe();
  const refuse = async (change: object) => (await add({ ...subscription, ...change })).body.code;
  for (const endpoint of [
    ...[
      'http://127.0.0.1/',
      'https://127.0.0.2/',
      'https://[::1]/',
      'https://other.example.org/',
      'file:///etc/passwd',
    ],
    ...['https://user@127.0.0.1/', 'nothing'],
  ]) {
    expect(await refuse({ endpoint }), endpoint).toBe('delivery.bad-endpoint');
  }
  expect(await refuse({ publicKey: subscription.secret })).toBe('delivery.bad-keys');
  expect(await refuse({ secret: '' })).toBe('delivery.bad-keys');
  expect(await browsers()).toEqual([]);
});

test('private addresses are refused when a message is sent, too; nothing is offered until it is configured', async () => {
  const { pushAllowAddresses: _allowed, ...settings } = server.settings;
  const strict = await TestService.start(settings);
  onTestFinished(() => strict.stop());
  const { subscription } = server.subscribe();
  const named = subscription.endpoint.replace('127.0.0.1', 'localhost');
  expect((await strict.put('/me/browsers', { ...subscription, endpoint: named })).body.code).toBe(
    'delivery.bad-endpoint',
  );
  const refused = await strict.put('/me/browsers', subscription);
  expect(refused.body).toMatchObject({ status: 400, code: 'delivery.bad-endpoint' });
  const off = await TestService.start();
  onTestFinished(() => off.stop());
  expect((await off.get('/me/delivery')).body).toMatchObject({ pushKey: null, browsers: [] });
  expect((await off.put('/me/browsers', subscription)).body).toMatchObject({
    ...{ status: 409, code: 'delivery.push-not-offered' },
  });
});
