import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type DeadLetter,
  type FollowerState,
  maxLetters,
} from '../../src/notifications/subscribers/subscriber-store.port.js';
import { type OpenStorage, storageEngines } from './engines.js';

const state = (name: string, fields: Partial<FollowerState> = {}): FollowerState => ({
  name,
  sequence: 5,
  sinceMs: 1_000,
  lastSuccessMs: null,
  lastErrorMs: null,
  lastError: '',
  pending: null,
  ...fields,
});

const letter = (deliveryId: string, fields: Partial<DeadLetter> = {}): DeadLetter => ({
  deliveryId,
  changes: [{ sequence: 3, kind: 'created', entryId: 7 }],
  attempts: 2,
  reason: 'it said no – “ü”',
  atMs: 2_000,
  again: false,
  ...fields,
});

describe.each(storageEngines)('the followers of the storage $name', ({ open }) => {
  let opened: OpenStorage;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened.destroy();
  });
  const followers = () => opened.storage.committed.followers;
  const write: OpenStorage['storage']['write'] = (work) => opened.storage.write(work);

  test('a state is found as it was put, by its name alone, and after a restart', async () => {
    const pending = {
      id: 'd1',
      changes: letter('').changes,
      upTo: 9,
      attempts: 1,
      failingSinceMs: 3_000,
      nextAttemptMs: 4_000,
    };
    await write((tx) => tx.followers.put(state('b')));
    await write((tx) => tx.followers.put(state('a', { lastSuccessMs: 1, lastErrorMs: 2, lastError: 'x', pending })));
    await write((tx) => tx.followers.put(state('b', { sequence: 6 })));
    opened = await opened.reopen();
    expect(await followers().find('B')).toBeUndefined();
    expect(await followers().list()).toEqual([
      state('a', { lastSuccessMs: 1, lastErrorMs: 2, lastError: 'x', pending }),
      state('b', { sequence: 6 }),
    ]);
    expect(await followers().find('b')).toEqual(state('b', { sequence: 6 }));
  });

  test('a cursor moves together with what else its transaction does, or not at all', async () => {
    await write((tx) => tx.followers.put(state('a')));
    const failing = write(async (tx) => {
      await tx.followers.put(state('a', { sequence: 99 }));
      await tx.followers.addLetter('a', letter('d1'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await followers().find('a')).toEqual(state('a'));
    expect(await followers().countLetters('a')).toBe(0);
  });

  test('dead letters are listed by follower, the newest first, and paged', async () => {
    await write(async (tx) => {
      for (const id of ['d1', 'd2', 'd3']) await tx.followers.addLetter('a', letter(id));
      await tx.followers.addLetter('b', letter('d4'));
    });
    const all = await followers().listLetters('a', 10);
    expect(all.map(({ deliveryId }) => deliveryId)).toEqual(['d3', 'd2', 'd1']);
    expect(all[0]).toEqual({ ...letter('d3'), id: expect.any(Number) });
    const [first, second] = await followers().listLetters('a', 2);
    expect([first, second]).toEqual(all.slice(0, 2));
    expect(await followers().listLetters('a', 2, second?.id)).toEqual(all.slice(2));
    expect(await followers().countLetters('a')).toBe(3);
    expect(await followers().countLetters('nobody')).toBe(0);
    expect(await followers().listLetters('nobody', 10)).toEqual([]);
  });

  test('a dead letter is changed and removed where it is, and nowhere else; the oldest is tried first', async () => {
    await write(async (tx) => {
      for (const id of ['d1', 'd2']) await tx.followers.addLetter('a', letter(id));
    });
    const [d2, d1] = await followers().listLetters('a', 10);
    if (!d1 || !d2) throw new Error('they are gone');
    expect(await followers().findLetterToTry('a')).toBeUndefined();
    for (const one of [d2, d1]) {
      expect(await write((tx) => tx.followers.changeLetter('b', { ...one, again: true }))).toBe(false);
      expect(await write((tx) => tx.followers.changeLetter('a', { ...one, again: true, attempts: 3 }))).toBe(true);
    }
    expect(await followers().findLetterToTry('a')).toEqual({ ...d1, again: true, attempts: 3 });
    expect(await followers().findLetterToTry('b')).toBeUndefined();
    expect(await write((tx) => tx.followers.removeLetter('b', d1.id))).toBe(false);
    expect(await write((tx) => tx.followers.removeLetter('a', d1.id))).toBe(true);
    expect(await write((tx) => tx.followers.removeLetter('a', d1.id))).toBe(false);
    expect(await write((tx) => tx.followers.changeLetter('a', d1))).toBe(false);
    expect(await followers().findLetter('a', d1.id)).toBeUndefined();
    expect(await followers().findLetter('a', d2.id)).toMatchObject({ deliveryId: 'd2', again: true });
    expect(await followers().findLetter('b', d2.id)).toBeUndefined();
    await write((tx) => tx.followers.addLetter('a', letter('d3')));
    const [d3] = await followers().listLetters('a', 1);
    expect(d3?.id).toBeGreaterThan(d2.id);
  });

  test('the newest dead letters of a follower are kept, and it is counted how many were dropped', async () => {
    await write((tx) => tx.followers.addLetter('b', letter('of another')));
    await write(async (tx) => {
      for (let at = 0; at < maxLetters + 3; at += 1) await tx.followers.addLetter('a', letter(`d${at}`));
    });
    expect(await followers().countLetters('a')).toBe(maxLetters);
    const [newest] = await followers().listLetters('a', 1);
    expect(newest?.deliveryId).toBe(`d${maxLetters + 2}`);
    const [oldest] = (await followers().listLetters('a', maxLetters)).slice(-1);
    expect(oldest?.deliveryId).toBe('d3');
    expect(await followers().countDropped('a')).toBe(3);
    expect([await followers().countLetters('b'), await followers().countDropped('b')]).toEqual([1, 0]);
    // There is room again.
    await write((tx) => tx.followers.removeLetter('a', oldest?.id ?? 0));
    await write((tx) => tx.followers.addLetter('a', letter('last')));
    opened = await opened.reopen();
    expect([await followers().countLetters('a'), await followers().countDropped('a')]).toEqual([maxLetters, 3]);
    await write((tx) => tx.followers.remove('a'));
    expect(await followers().countDropped('a')).toBe(0);
  });

  test('removing a follower takes its dead letters along, and those of no other', async () => {
    await write(async (tx) => {
      for (const name of ['a', 'b']) {
        await tx.followers.put(state(name));
        await tx.followers.addLetter(name, letter(name));
      }
    });
    expect(await write((tx) => tx.followers.remove('a'))).toBe(true);
    expect(await write((tx) => tx.followers.remove('a'))).toBe(false);
    expect(await followers().list()).toEqual([state('b')]);
    expect([await followers().countLetters('a'), await followers().countLetters('b')]).toEqual([0, 1]);
  });
});
