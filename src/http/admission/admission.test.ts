import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { Admission } from './admission.js';

const admissionOf = (indexed: () => Promise<void>) =>
  new Admission({
    ...{ searchThreads: 2, maxWaitingPerClient: 10, maxWaitingLongWritesPerClient: 10, maxJsonBytes: 1_000 },
    ...{ downloads: undefined, indexed },
    userNameOf: async (request) => (request as unknown as { user: string }).user,
  });
const requestOf = (user: string) => ({ user, context: {} }) as unknown as FastifyRequest;

/** Gives back a ticket of a long write, whose work took long enough for its slot to rest. */
async function endLongWrite(admission: Admission, user: string): Promise<void> {
  const ticket = await admission.enter(requestOf(user), 'longWrite');
  expect(ticket.takeSlot()).toBe(true);
  for (const endMs = performance.now() + 2; performance.now() < endMs; );
  admission.leaveAfterSuccess(ticket, 'longWrite');
}

describe('the slot of a long write', () => {
  test('rests while others use the service: the next one of its user lets the first of others pass', async () => {
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

  test('is kept until the search index has its text', async () => {
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
