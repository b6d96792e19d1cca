import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { reader, startOperatorInbox, writer } from '../fixtures/operator-inbox.js';
import { Receiver } from '../fixtures/receiver.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { asAdmin } from '../fixtures/subscribed-logbook.js';

const hour = 3_600_000;

let dir: string;
let logbook: TestService;
let chat: Receiver;
/** Statuses with which the next messages are refused. */
const statuses: number[] = [];
/** Messages that the chat has accepted, in order. */
let accepted: { readonly id: unknown; readonly channel: string; readonly lines: readonly string[] }[] = [];

beforeAll(async () => {
  dir = await makeTempDir();
  chat = await Receiver.start();
  chat.answer = ({ headers, json }) => {
    const status = statuses.shift() ?? 200;
    const { channel, text } = json as { channel: string; text: string };
    if (status === 200) accepted.push({ id: headers['x-logbook-delivery'], channel, lines: text.split('\n') });
    return status;
  };
  logbook = await startOperatorInbox(dir, {
    publicUrl: 'https://log.example.org',
    ...{ chatUrl: `${chat.origin}/hooks/T0KEN`, chatAllowAddresses: '127.0.0.1', chatRecipient: '@{userName}' },
  });
});
afterEach(async () => {
  await choose({ chat: false });
  statuses.length = 0;
  accepted = [];
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
const titles = () => accepted.map(({ lines }) => lines.map((line) => /: (.*) \(/.exec(line)?.[1]));
const arrival = (title: string) => chat.until(() => accepted.some(({ lines }) => lines.join().includes(title)));

test('off until chosen; then messages to this user only, in order, about later changes of others', async () => {
  const offered = { chat: false, chatRecipient: '@operator' };
  expect((await logbook.get('/me/delivery', reader)).body).toMatchObject(offered);
  await create('before, at operator: @operator');
  await expect.poll(newest).toBe('before, at operator: @operator');
  expect(await choose({ chat: true })).toMatchObject({ ...offered, chat: true });
  const [state] = await subscribers();
  expect(state).toMatchObject({ name: 'chat ["embeddedLdap","operator"]', kind: 'user' });
  // Nobody but the operator of the service may know the whole address.
  expect(state.target).toBe(`operator (embeddedLdap) by 127.0.0.1:${chat.port}`);
  const { id } = await create('question', '', reader);
  await create('own, @operator', '', reader);
  for (const title of ['first', 'second', 'third']) {
    await create(title, `?inReplyTo=${id}`);
    await arrival(title);
  }
  expect(accepted.map(({ channel }) => channel)).toEqual(['@operator', '@operator', '@operator']);
  expect(accepted.flatMap(({ lines }) => lines)).toEqual(
    ['first', 'second', 'third'].map(
      (title, at) => `Info: ${title} (physicist, operations) https://log.example.org/entries/${id + 2 + at}`,
    ),
  );
});

test('failed attempts: the same delivery again, and each item once and in order', async () => {
  await choose({ chat: true });
  const before = chat.received.length;
  statuses.push(503, 429);
  const all = ['one', 'two', 'three'];
  const { id } = await create('question', '', reader);
  for (const title of all) await create(title, `?inReplyTo=${id}`);
  await arrival('three');
  expect(titles().flat()).toEqual(all);
  const attempts = chat.received.slice(before, before + 3).map(({ headers }) => headers['x-logbook-delivery']);
  expect(new Set(attempts)).toEqual(new Set([accepted[0]?.id]));
});

test('access that is withdrawn before the delivery: nothing is sent', async () => {
  await choose({ chat: true });
  statuses.push(503);
  const { id } = await create('to be hidden, @operator');
  await chat.until(() => statuses.length === 0);
  const moved = await logbook.post(`/logs/${id}`, { title: 'hidden', logbooks: [{ name: 'Secret' }] }, writer);
  expect(moved.status, moved.text).toBe(200);
  await create('still open');
  const { id: question } = await create('question', '', reader);
  await create('answer', `?inReplyTo=${question}`);
  await arrival('answer');
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
  expect(accepted).toEqual([]);
  vi.setSystemTime(noon + 2 * hour);
  await choose({ quiet });
  await arrival('two');
  expect(titles()).toEqual([['one, @\u200boperator', 'two, @\u200boperator']]);
});

test('a refused message is a dead letter, and the next one arrives; switched off, nothing is left or sent', async () => {
  await choose({ chat: true });
  statuses.push(400);
  await create('refused, @operator');
  await expect.poll(subscribers).toMatchObject([{ deadLetters: 1, status: 'idle' }]);
  await create('next, @operator');
  await arrival('next');
  expect(await choose({ chat: false })).toMatchObject({ chat: false });
  expect(await subscribers()).toEqual([]);
  await create('while off, @operator');
  await expect.poll(newest).toBe('while off, @operator');
  await choose({ chat: true });
  await create('on again, @operator');
  await arrival('on again');
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
