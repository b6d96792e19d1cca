import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SettingName } from '../../src/config/settings.js';
import { Receiver } from '../fixtures/receiver.js';
import { makeTempDir, type TestService } from '../fixtures/service.js';
import {
  asAdmin,
  position,
  startWithSubscribers,
  stateOf,
  stateWhen,
  webhookTo,
} from '../fixtures/subscribed-logbook.js';

let target: Receiver;
let dataDir: string;
let logbook: TestService;
beforeEach(async () => {
  target = await Receiver.start();
  dataDir = await makeTempDir();
});
afterEach(async () => {
  vi.useRealTimers();
  await logbook.stop();
  await target.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = async (
  keys: Record<string, string> | undefined,
  settings: Partial<Record<SettingName, string>> = {},
): Promise<void> => {
  logbook = await startWithSubscribers(keys ? { hook: webhookTo(target.origin, keys) } : {}, { dataDir, settings });
};
const deadLetters = async (query = '') => (await logbook.get(`/subscribers/hook/dead-letters${query}`, asAdmin)).body;
const isBad = (title: string) => (title.startsWith('bad') ? 410 : 200);
const refuseBad = () => {
  target.answer = ({ json }) => isBad(json.changes[0].entry.title);
};

test.each([400, 410, 413, 415, 422])(
  'a delivery refused with %i becomes a dead letter immediately, and the next one is sent',
  async (status) => {
    target.answer = ({ json }) => (json.changes[0].entry.title === 'bad' ? status : 200);
    await start({});
    const { id: entryId } = await logbook.create({ title: 'bad' });
    await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === 1);
    await logbook.create({ title: 'good' });
    await target.waitFor(2);
    expect(target.titles).toEqual(['bad', 'good']);
    expect(await deadLetters()).toEqual([
      {
        id: expect.any(Number),
        deliveryId: target.received[0]?.json.deliveryId,
        changes: [{ sequence: position(1), kind: 'created', entryId }],
        attempts: 1,
        reason: `127.0.0.1:${target.port} responded with status ${status}.`,
        date: expect.any(Number),
        recipient: null,
        retryRequested: false,
      },
    ]);
  },
);

test.each([401, 403, 404, 429, 500, 503])(
  'a delivery that fails with %i is retried up to its maximum age',
  async (status) => {
    target.answer = ({ json }) => (json.changes[0].entry.title === 'bad' ? status : 200);
    await start({ maxDeliveryAgeSeconds: '3600' }, { trustSystemClock: 'true' });
    await logbook.create({ title: 'bad' });
    await target.waitFor(2);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === 1);
    expect(target.received.length).toBeGreaterThan(1);
    expect((await deadLetters())[0].attempts).toBe(target.received.length);
    await logbook.create({ title: 'good' });
    await target.until(() => target.titles.at(-1) === 'good');
  },
);

test('a dead letter is retried on request under the same delivery id, and removed when it arrives', async () => {
  refuseBad();
  await start({});
  await logbook.create({ title: 'bad 1' });
  await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === 1);
  const [deadLetter] = await deadLetters();
  const retry = () => logbook.call(`/subscribers/hook/dead-letters/${deadLetter.id}`, { method: 'POST', ...asAdmin });
  expect((await retry()).status).toBe(202);
  // It is stored a moment after the response to it.
  await expect
    .poll(async () => (await deadLetters())[0])
    .toMatchObject({ id: deadLetter.id, attempts: 2, retryRequested: false });
  expect(target.received).toHaveLength(2);
  target.answer = () => 200;
  await retry();
  await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === 0);
  expect(new Set(target.received.map(({ json }) => json.deliveryId))).toEqual(new Set([deadLetter.deliveryId]));
  expect((await retry()).body.code).toBe('dead-letter.not-found');
});

test('a deleted dead letter is removed; the others are listed newest first and paged', async () => {
  refuseBad();
  await start({});
  const ids: number[] = [];
  for (let index = 1; index <= 3; index++) {
    ids.push((await logbook.create({ title: `bad ${index}` })).id);
    await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === index);
  }
  const all = await deadLetters();
  expect(all.map((deadLetter: { changes: { entryId: number }[] }) => deadLetter.changes[0]?.entryId)).toEqual(
    ids.toReversed(),
  );
  expect(await deadLetters('?size=1')).toEqual(all.slice(0, 1));
  expect(await deadLetters(`?before=${all[0].id}`)).toEqual(all.slice(1));
  const remove = () => logbook.call(`/subscribers/hook/dead-letters/${all[1].id}`, { method: 'DELETE', ...asAdmin });
  expect((await remove()).status).toBe(200);
  expect((await remove()).body).toMatchObject({ status: 404, code: 'dead-letter.not-found' });
  expect(await deadLetters()).toEqual([all[0], all[2]]);
  expect((await logbook.get('/subscribers/nobody/dead-letters', asAdmin)).body.code).toBe('subscriber.not-found');
});

test('a subscriber is removed only when it is no longer configured; until then its state is kept', async () => {
  refuseBad();
  await start({});
  await logbook.create({ title: 'bad 1' });
  await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === 1);
  const remove = () => logbook.call('/subscribers/hook', { method: 'DELETE', ...asAdmin });
  expect((await remove()).body).toMatchObject({ status: 409, code: 'subscriber.configured' });
  await logbook.stop({ keepData: true });
  await start(undefined);
  const [deadLetter] = await deadLetters();
  await logbook.call(`/subscribers/hook/dead-letters/${deadLetter.id}`, { method: 'POST', ...asAdmin });
  expect((await deadLetters())[0]).toMatchObject({ retryRequested: true, attempts: 1 });
  await logbook.stop({ keepData: true });
  target.answer = () => 200;
  await start({});
  await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === 0);
  expect(target.titles).toEqual(['bad 1', 'bad 1']);
  await logbook.stop({ keepData: true });
  await start(undefined);
  expect((await remove()).status).toBe(200);
  expect((await remove()).body).toMatchObject({ status: 404, code: 'subscriber.not-found' });
  expect(await stateOf(logbook, 'hook')).toBeUndefined();
});
