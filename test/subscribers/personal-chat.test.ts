import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ChatServer } from '../fixtures/chat-server.js';
import { reader, startOperatorInbox, writer } from '../fixtures/operator-inbox.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { asAdmin } from '../fixtures/subscribed-logbook.js';

const hour = 3_600_000;

let dir: string;
let logbook: TestService;
let chat: ChatServer;

beforeAll(async () => {
  dir = await makeTempDir();
  chat = await ChatServer.start(['operator']);
  logbook = await startOperatorInbox(dir, {
    publicUrl: 'https://log.example.org',
    ...{ chatUrl: chat.url, chatAllowAddresses: '127.0.0.1', chatRecipient: '@{userName}' },
  });
});
afterEach(async () => {
  await choose({ chat: false });
  chat.statuses.length = 0;
  chat.accepted.length = 0;
  chat.isDatabaseReachable = true;
});
afterAll(async () => {
  await logbook.stop();
  await chat.stop();
  await rm(dir, { recursive: true });
});

const choose = async (choice: object) => {
  const { status, text, body } = await logbook.put('/me/delivery', { mail: false, quiet: null, ...choice }, reader);
  expect(status, text).toBe(200);
  return body;
};
const create = (title: string, query = '', by = writer) => logbook.create({ title }, query, by);
const newest = async () => (await logbook.get('/me/inbox', reader)).body.items[0]?.entry.title;
const subscribers = async () => (await logbook.get('/subscribers', asAdmin)).body;
const titlesIn = (text: string) => text.split('\n').map((line) => /: (.*) \(/.exec(line)?.[1]);
const titles = () => chat.accepted.map(({ text }) => titlesIn(text));

test('off until chosen; then messages to this user only, in order, about later changes of others', async () => {
  const offered = { chat: false, chatRecipient: '@operator' };
  expect((await logbook.get('/me/delivery', reader)).body).toMatchObject(offered);
  await create('before, at operator: @operator');
  await expect.poll(newest).toBe('before, at operator: @operator');
  expect(await choose({ chat: true })).toMatchObject({ ...offered, chat: true });
  const [state] = await subscribers();
  expect(state).toMatchObject({ name: 'chat ["embeddedLdap","operator"]', kind: 'user' });
  // Only the operator of the service may know the whole address.
  expect(state.target).toBe(`operator (embeddedLdap) by 127.0.0.1:${chat.receiver.port}`);
  const { id } = await create('question', '', reader);
  await create('own, @operator', '', reader);
  for (const title of ['first', 'second', 'third']) {
    await create(title, `?inReplyTo=${id}`);
    await chat.arrival(title);
  }
  expect(chat.accepted.map(({ channel }) => channel)).toEqual(['@operator', '@operator', '@operator']);
  expect(chat.lines).toEqual(
    ['first', 'second', 'third'].map(
      (title, at) => `Info: ${title} (physicist, operations) https://log.example.org/entries/${id + 2 + at}`,
    ),
  );
});

test('failed attempts: the same delivery again, and each item once and in order', async () => {
  await choose({ chat: true });
  const before = chat.receiver.received.length;
  chat.statuses.push(503, 429);
  const all = ['one', 'two', 'three'];
  const { id } = await create('question', '', reader);
  for (const title of all) await create(title, `?inReplyTo=${id}`);
  await chat.arrival('three');
  expect(titles().flat()).toEqual(all);
  const attempts = chat.receiver.received.slice(before, before + 3).map(({ headers }) => headers['x-logbook-delivery']);
  expect(new Set(attempts)).toEqual(new Set([chat.accepted[0]?.id]));
});

test('the database of the chat is unreachable, so that the user seems unknown: each item once and in order', async () => {
  await choose({ chat: true });
  chat.isDatabaseReachable = false;
  await create('one, @operator');
  await expect.poll(subscribers).toMatchObject([{ status: 'waiting', deadLetters: 0 }]);
  await create('two, @operator');
  chat.isDatabaseReachable = true;
  await chat.arrival('two');
  expect(titles().flat()).toEqual(['one, @\u200boperator', 'two, @\u200boperator']);
});

test('access that is withdrawn before the delivery: nothing is sent', async () => {
  await choose({ chat: true });
  chat.statuses.push(503);
  const { id } = await create('to be hidden, @operator');
  await chat.receiver.until(() => chat.statuses.length === 0);
  const moved = await logbook.post(`/logs/${id}`, { title: 'hidden', logbooks: [{ name: 'Secret' }] }, writer);
  expect(moved.status, moved.text).toBe(200);
  await create('still open');
  const { id: question } = await create('question', '', reader);
  await create('answer', `?inReplyTo=${question}`);
  await chat.arrival('answer');
  expect(titles()).toEqual([['answer']]);
});

test('quiet hours: nothing is sent in them; what came is one message afterwards', async () => {
  const noon = Date.UTC(2050, 0, 10, 12);
  vi.useFakeTimers({ toFake: ['Date'], now: noon });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const quiet = { from: '11:00', to: '13:00', zone: 'UTC' };
  await choose({ chat: true, quiet });
  for (const title of ['one, @operator', 'two, @operator']) await create(title);
  await expect.poll(newest).toBe('two, @operator');
  // A choice without the chat leaves it on.
  expect(await choose({ quiet })).toMatchObject({ chat: true });
  expect(chat.accepted).toEqual([]);
  vi.setSystemTime(noon + 2 * hour);
  await choose({ quiet });
  await chat.arrival('two');
  expect(titles()).toEqual([['one, @\u200boperator', 'two, @\u200boperator']]);
});

test('a refused message is a dead letter, and the next one arrives; switched off, nothing is left or sent', async () => {
  await choose({ chat: true });
  chat.statuses.push(410);
  await create('refused, @operator');
  await expect.poll(subscribers).toMatchObject([{ deadLetters: 1, status: 'idle' }]);
  await create('next, @operator');
  await chat.arrival('next');
  expect(await choose({ chat: false })).toMatchObject({ chat: false });
  expect(await subscribers()).toEqual([]);
  await create('while off, @operator');
  await expect.poll(newest).toBe('while off, @operator');
  await choose({ chat: true });
  await create('on again, @operator');
  await chat.arrival('on again');
  expect(titles().flat()).toEqual(['next, @\u200boperator', 'on again, @\u200boperator']);
});

test('nothing is offered until it is configured, and no user chooses the recipient', async () => {
  const typed = { ...{ mail: false, quiet: null, chat: true }, chatRecipient: '@physicist' };
  expect((await logbook.put('/me/delivery', typed, reader)).body.chatRecipient).toBe('@operator');
  const off = await TestService.start();
  onTestFinished(() => off.stop());
  expect((await off.get('/me/delivery')).body).toMatchObject({ chat: false, chatRecipient: null });
  expect((await off.put('/me/delivery', { mail: false, quiet: null, chat: true })).body).toMatchObject({
    ...{ status: 409, code: 'delivery.chat-not-offered' },
  });
});
