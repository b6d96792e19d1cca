import { expect, test } from 'vitest';
import {
  type DeadLetter,
  type DeferredDelivery,
  maxDeadLetters,
  type SubscriberState,
} from '../../src/notifications/subscribers/subscriber-store.port.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const state = (name: string, fields: Partial<SubscriberState> = {}): SubscriberState => ({
  name,
  sequence: 5,
  sinceMs: 1_000,
  lastSuccessMs: null,
  lastErrorMs: null,
  lastError: '',
  pending: null,
  ...fields,
});

const deadLetter = (deliveryId: string, fields: Partial<DeadLetter> = {}): DeadLetter => ({
  deliveryId,
  changes: [{ sequence: 3, kind: 'created', entryId: 7 }],
  attempts: 2,
  reason: 'it said no – “ü”',
  atMs: 2_000,
  retryRequested: false,
  ...fields,
});

/** Requirements of every storage for subscribers and their dead letters. */
export function subscriberStoreSuite({ open }: StorageEngine): void {
  const { opened, reopen } = openForEachTest(open);
  const subscribers = () => opened().storage.committed.subscribers;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);

  test('a state is found unchanged by its exact name, also after a restart', async () => {
    const pending = {
      id: 'd1',
      changes: deadLetter('').changes,
      upTo: 9,
      attempts: 1,
      failingSinceMs: 3_000,
      nextAttemptMs: 4_000,
    };
    await write((tx) => tx.subscribers.put(state('b')));
    await write((tx) => tx.subscribers.put(state('a', { lastSuccessMs: 1, lastErrorMs: 2, lastError: 'x', pending })));
    await write((tx) => tx.subscribers.put(state('b', { sequence: 6 })));
    await reopen();
    expect(await subscribers().find('B')).toBeUndefined();
    expect(await subscribers().list()).toEqual([
      state('a', { lastSuccessMs: 1, lastErrorMs: 2, lastError: 'x', pending }),
      state('b', { sequence: 6 }),
    ]);
    expect(await subscribers().find('b')).toEqual(state('b', { sequence: 6 }));
  });

  test('a cursor moves in the same transaction as other changes', async () => {
    await write((tx) => tx.subscribers.put(state('a')));
    const failing = write(async (tx) => {
      await tx.subscribers.put(state('a', { sequence: 99 }));
      await tx.subscribers.addDeadLetter('a', deadLetter('d1'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await subscribers().find('a')).toEqual(state('a'));
    expect(await subscribers().countDeadLetters('a')).toBe(0);
  });

  test('dead letters are listed by subscriber, newest first, in pages', async () => {
    await write(async (tx) => {
      for (const id of ['d1', 'd2', 'd3']) await tx.subscribers.addDeadLetter('a', deadLetter(id));
      await tx.subscribers.addDeadLetter('b', deadLetter('d4'));
    });
    const all = await subscribers().listDeadLetters('a', 10);
    expect(all.map(({ deliveryId }) => deliveryId)).toEqual(['d3', 'd2', 'd1']);
    expect(all[0]).toEqual({ ...deadLetter('d3'), id: expect.any(Number) });
    const [first, second] = await subscribers().listDeadLetters('a', 2);
    expect([first, second]).toEqual(all.slice(0, 2));
    expect(await subscribers().listDeadLetters('a', 2, second?.id)).toEqual(all.slice(2));
    expect(await subscribers().countDeadLetters('a')).toBe(3);
    expect(await subscribers().countDeadLetters('nobody')).toBe(0);
    expect(await subscribers().listDeadLetters('nobody', 10)).toEqual([]);
  });

  test('a dead letter is changed and removed only under its subscriber; the oldest is retried first', async () => {
    await write(async (tx) => {
      for (const id of ['d1', 'd2']) await tx.subscribers.addDeadLetter('a', deadLetter(id));
    });
    const [d2, d1] = await subscribers().listDeadLetters('a', 10);
    if (!d1 || !d2) throw new Error('dead letters are missing');
    expect(await subscribers().findDeadLetterToRetry('a')).toBeUndefined();
    for (const one of [d2, d1]) {
      expect(await write((tx) => tx.subscribers.changeDeadLetter('b', { ...one, retryRequested: true }))).toBe(false);
      expect(
        await write((tx) => tx.subscribers.changeDeadLetter('a', { ...one, retryRequested: true, attempts: 3 })),
      ).toBe(true);
    }
    expect(await subscribers().findDeadLetterToRetry('a')).toEqual({ ...d1, retryRequested: true, attempts: 3 });
    expect(await subscribers().findDeadLetterToRetry('b')).toBeUndefined();
    expect(await write((tx) => tx.subscribers.removeDeadLetter('b', d1.id))).toBe(false);
    expect(await write((tx) => tx.subscribers.removeDeadLetter('a', d1.id))).toBe(true);
    expect(await write((tx) => tx.subscribers.removeDeadLetter('a', d1.id))).toBe(false);
    expect(await write((tx) => tx.subscribers.changeDeadLetter('a', d1))).toBe(false);
    expect(await subscribers().findDeadLetter('a', d1.id)).toBeUndefined();
    expect(await subscribers().findDeadLetter('a', d2.id)).toMatchObject({ deliveryId: 'd2', retryRequested: true });
    expect(await subscribers().findDeadLetter('b', d2.id)).toBeUndefined();
    await write((tx) => tx.subscribers.addDeadLetter('a', deadLetter('d3')));
    const [d3] = await subscribers().listDeadLetters('a', 1);
    expect(d3?.id).toBeGreaterThan(d2.id);
  });

  test('only the newest dead letters of a subscriber are stored; dropped ones are counted', async () => {
    await write((tx) => tx.subscribers.addDeadLetter('b', deadLetter('of another')));
    await write(async (tx) => {
      for (let at = 0; at < maxDeadLetters + 3; at += 1) await tx.subscribers.addDeadLetter('a', deadLetter(`d${at}`));
    });
    expect(await subscribers().countDeadLetters('a')).toBe(maxDeadLetters);
    const [newest] = await subscribers().listDeadLetters('a', 1);
    expect(newest?.deliveryId).toBe(`d${maxDeadLetters + 2}`);
    const [oldest] = (await subscribers().listDeadLetters('a', maxDeadLetters)).slice(-1);
    expect(oldest?.deliveryId).toBe('d3');
    expect(await subscribers().countDroppedDeadLetters('a')).toBe(3);
    expect([await subscribers().countDeadLetters('b'), await subscribers().countDroppedDeadLetters('b')]).toEqual([
      1, 0,
    ]);
    // Below the limit again.
    await write((tx) => tx.subscribers.removeDeadLetter('a', oldest?.id ?? 0));
    await write((tx) => tx.subscribers.addDeadLetter('a', deadLetter('last')));
    await reopen();
    expect([await subscribers().countDeadLetters('a'), await subscribers().countDroppedDeadLetters('a')]).toEqual([
      maxDeadLetters,
      3,
    ]);
    await write((tx) => tx.subscribers.remove('a'));
    expect(await subscribers().countDroppedDeadLetters('a')).toBe(0);
  });

  test('deferred deliveries are found by their next attempt, changed and removed, under their subscriber only', async () => {
    const deferred = (deliveryId: string, nextAttemptMs: number): DeferredDelivery => ({
      deliveryId,
      recipient: 'jörg@example.org',
      changes: deadLetter('').changes,
      attempts: 1,
      failingSinceMs: 1_000,
      nextAttemptMs,
      reason: 'later',
    });
    await write(async (tx) => {
      await tx.subscribers.put(state('a'));
      for (const [id, ms] of [
        ['d1', 30],
        ['d2', 10],
        ['d3', 20],
      ] as const)
        await tx.subscribers.addDeferred('a', deferred(id, ms));
      await tx.subscribers.addDeferred('b', deferred('d4', 5));
    });
    await reopen();
    const next = await subscribers().findNextDeferred('a', 30);
    if (!next) throw new Error('a deferred delivery is missing');
    expect(next).toEqual({ ...deferred('d2', 10), id: expect.any(Number) });
    expect(await write((tx) => tx.subscribers.changeDeferred('b', next))).toBe(false);
    expect(await write((tx) => tx.subscribers.changeDeferred('a', { ...next, nextAttemptMs: 40 }))).toBe(true);
    expect((await subscribers().findNextDeferred('a', 40))?.deliveryId).toBe('d3');
    // It was planned by a clock that was ahead.
    expect((await subscribers().findNextDeferred('a', 39))?.deliveryId).toBe('d2');
    expect(await write((tx) => tx.subscribers.removeDeferred('b', next.id))).toBe(false);
    expect(await write((tx) => tx.subscribers.removeDeferred('a', next.id))).toBe(true);
    expect(await subscribers().countDeferred('a')).toBe(2);
    await write((tx) => tx.subscribers.remove('a'));
    expect([await subscribers().countDeferred('a'), await subscribers().countDeferred('b')]).toEqual([0, 1]);
  });

  test('removing a subscriber removes its dead letters, and no others', async () => {
    await write(async (tx) => {
      for (const name of ['a', 'b']) {
        await tx.subscribers.put(state(name));
        await tx.subscribers.addDeadLetter(name, deadLetter(name));
      }
    });
    expect(await write((tx) => tx.subscribers.remove('a'))).toBe(true);
    expect(await write((tx) => tx.subscribers.remove('a'))).toBe(false);
    expect(await subscribers().list()).toEqual([state('b')]);
    expect([await subscribers().countDeadLetters('a'), await subscribers().countDeadLetters('b')]).toEqual([0, 1]);
  });
}
