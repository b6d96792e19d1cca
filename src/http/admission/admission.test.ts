import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { QueueTicket } from '../../kernel/fair-queue.js';
import { Admission, type Work, writeWeight } from './admission.js';

const admissionOf = (indexed: () => Promise<void>) =>
  new Admission({
    ...{ searchThreads: 2, maxWaitingPerClient: 10, maxWaitingLongWritesPerClient: 10, maxJsonBytes: 1_000 },
    ...{ downloads: undefined, indexed },
    userNameOf: async (request) => (request as unknown as { user: string }).user,
  });
const requestOf = (user: string) => ({ user, context: {} }) as unknown as FastifyRequest;

/** Gives back a ticket, after work that took long enough for its slot to rest. */
async function endWork(admission: Admission, user: string, work: Work): Promise<void> {
  const ticket = await admission.enter(requestOf(user), work);
  expect(ticket.takeSlot()).toBe(true);
  for (const endMs = performance.now() + 50; performance.now() < endMs; );
  admission.leaveAfterSuccess(ticket, work);
}
const endLongWrite = (admission: Admission, user: string) => endWork(admission, user, 'longWrite');

test.each([
  ['read', 4],
  ['download', 2],
  ['search', 1],
  ['write', 4],
  ['upload', 16],
  ['device', 4],
  ['longWrite', 1],
] as const)(
  'a used slot for %s rests while others use the service: of its %i slots, the client has one fewer',
  async (work, slots) => {
    const admission = admissionOf(async () => undefined);
    (await admission.enter(requestOf('other'), 'read')).leave();
    await endWork(admission, 'busy', work);
    const taken = [];
    for (let at = 0; at < slots; at++) taken.push((await admission.enter(requestOf('busy'), work)).takeSlot());
    expect(taken.filter(Boolean)).toHaveLength(slots - 1);
    expect((await admission.enter(requestOf('other'), work)).takeSlot()).toBe(true);
  },
);

test('a client that has the service alone has 16 slots for writes, and gets no more than 4 once another one uses it', async () => {
  const admission = admissionOf(async () => undefined);
  const enter = async (user: string) => admission.enter(requestOf(user), 'write', { isReady: true });
  const tickets: QueueTicket[] = [];
  for (let at = 0; at < 20; at++) tickets.push(await enter('script'));
  const begun = () => tickets.filter((ticket) => ticket.takeSlot()).length;
  expect(begun()).toBe(16);
  const persons = await enter('person');
  expect(persons.takeSlot()).toBe(true);
  persons.leave();
  for (const ticket of tickets.splice(0, 12)) ticket.leave();
  expect(begun()).toBe(4);
  tickets.shift()?.leave();
  // Its slot may rest for a moment.
  await expect.poll(begun).toBe(4);
});

test.each([
  [100, 65_536],
  [200, 32_768],
  [1_600, 100],
])('at most %i writes of %i bytes may wait for one client', async (count, bytes) => {
  const admission = admissionOf(async () => undefined);
  const enter = async (user: string) => admission.enter(requestOf(user), 'write', { weight: writeWeight(bytes) });
  for (let at = 0; at < count; at++) await enter('script');
  await expect(enter('script')).rejects.toMatchObject({ code: 'request.too-many-waiting' });
  expect((await enter('person')).takeSlot()).toBe(true);
});

test('downloads that open slowly take no slots for reads, not even from their own client', async () => {
  const admission = admissionOf(async () => undefined);
  for (const user of ['one', 'two', 'three', 'four']) {
    for (let at = 0; at < 4; at++) (await admission.enter(requestOf(user), 'download')).takeSlot();
  }
  expect((await admission.enter(requestOf('one'), 'read')).takeSlot()).toBe(true);
  expect((await admission.enter(requestOf('five'), 'read')).takeSlot()).toBe(true);
});

describe('the slot of a long write', () => {
  test('rests while others use the service: the next one of its user waits for the first one of another user', async () => {
    const admission = admissionOf(async () => undefined);
    (await admission.enter(requestOf('user'), 'read')).leave();
    await endLongWrite(admission, 'admin');
    const second = await admission.enter(requestOf('admin'), 'longWrite');
    const ofOther = await admission.enter(requestOf('user'), 'longWrite');
    expect([second.takeSlot(), ofOther.takeSlot()]).toEqual([false, true]);
    ofOther.leave();
    await second.turn();
    second.leave();
  });

  test('does not rest for a user who has the service alone', async () => {
    const admission = admissionOf(async () => undefined);
    await endLongWrite(admission, 'admin');
    expect((await admission.enter(requestOf('admin'), 'longWrite')).takeSlot()).toBe(true);
  });

  test('is kept until the search index has the text of the write', async () => {
    let onIndexed = () => {};
    const indexed = new Promise<void>((resolve) => {
      onIndexed = resolve;
    });
    const admission = admissionOf(() => indexed);
    await endLongWrite(admission, 'admin');
    const second = await admission.enter(requestOf('admin'), 'longWrite');
    expect(second.takeSlot()).toBe(false);
    onIndexed();
    await second.turn();
    second.leave();
  });
});
