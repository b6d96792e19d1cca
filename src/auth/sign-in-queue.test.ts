import { describe, expect, test, vi } from 'vitest';
import { localQueueLimits, SignInQueue } from './sign-in-queue.js';

const limits = { slots: 2, slotsPerClient: 2, waiting: 10, waitingPerClient: 5, maxWaitMs: 60_000 };

/** Work of a client that runs until it is finished by hand. */
class Work {
  hasBegun = false;
  finish: (value: string) => void = () => undefined;
  readonly done: Promise<string>;

  constructor(queue: SignInQueue, client: string, tryBegin: () => unknown = () => true) {
    this.done = queue.run(
      client,
      async () => tryBegin(),
      () => {
        this.hasBegun = true;
        return new Promise<string>((resolve) => {
          this.finish = resolve;
        });
      },
    );
    this.done.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.finish('');
    await this.done;
    await begun();
  }
}

/** Resolves when everything that can begin has begun. */
const begun = () => new Promise(setImmediate);

test('many sign-ins at a time wait instead of being refused, and all of them are served', async () => {
  const queue = new SignInQueue({ ...limits, waiting: 100, waitingPerClient: 100 });
  let most = 0;
  let running = 0;
  const work = async (n: number) => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    return n;
  };
  const sent = Array.from({ length: 50 }, (_, n) =>
    queue.run(
      'a',
      async () => true,
      () => work(n),
    ),
  );
  expect(await Promise.all(sent)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  expect(most).toBe(2);
});

test('a client with many sign-ins delays itself: others are served in turn', async () => {
  const queue = new SignInQueue(limits);
  const many = Array.from({ length: 6 }, () => new Work(queue, 'many'));
  const one = new Work(queue, 'one');
  const other = new Work(queue, 'other');
  await begun();
  expect(many.filter(({ hasBegun }) => hasBegun)).toHaveLength(2);
  await many[0]?.end();
  await many[1]?.end();
  expect([one.hasBegun, other.hasBegun, many.filter(({ hasBegun }) => hasBegun).length]).toEqual([true, true, 2]);
  await one.end();
  expect([other.hasBegun, many.filter(({ hasBegun }) => hasBegun).length]).toEqual([true, 3]);
});

test('one client cannot take every slot while its sign-ins hang', async () => {
  const queue = new SignInQueue({ ...limits, slots: 4 });
  const hanging = Array.from({ length: 4 }, () => new Work(queue, 'hanging'));
  await begun();
  expect(hanging.filter(({ hasBegun }) => hasBegun)).toHaveLength(2);
  const another = new Work(queue, 'another');
  await begun();
  expect(another.hasBegun).toBe(true);
});

describe('429 auth.queue-full names the limit and the client', () => {
  test('beyond the limit of one client; others can still wait', async () => {
    const queue = new SignInQueue(limits);
    const works = Array.from({ length: 8 }, () => new Work(queue, '10.0.0.1'));
    await expect(works[7]?.done).rejects.toMatchObject({
      kind: 'busy',
      code: 'auth.queue-full',
      message: expect.stringContaining('The limit is 5 waiting sign-ins for the address 10.0.0.1, and is fixed.'),
    });
    const other = new Work(queue, '10.0.0.2');
    for (const work of works.slice(0, 7)) await work.end();
    expect(other.hasBegun).toBe(true);
  });

  test('beyond the limit of all clients together', async () => {
    const queue = new SignInQueue({ ...limits, slots: 1, waiting: 1 });
    const [, , refused] = ['a', 'b', 'c'].map((client) => new Work(queue, client));
    await expect(refused?.done).rejects.toMatchObject({
      message: expect.stringContaining('The limit is 1 waiting sign-in for all addresses together, and is fixed.'),
    });
  });

  test('when a sign-in has waited too long; another can then wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const queue = new SignInQueue({ ...limits, slots: 1, waiting: 1 });
      const first = new Work(queue, 'a');
      const late = new Work(queue, 'b');
      vi.advanceTimersByTime(60_000);
      await expect(late.done).rejects.toMatchObject({
        code: 'auth.queue-full',
        message: expect.stringContaining(
          'The limit is 60 s of waiting for each sign-in, here one from b, and is fixed.',
        ),
      });
      const next = new Work(queue, 'c');
      await first.end();
      expect([late.hasBegun, next.hasBegun]).toEqual([false, true]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a sign-in that may not begin yet lets others pass, and begins once it may', async () => {
  const queue = new SignInQueue(localQueueLimits);
  const first = new Work(queue, 'a');
  let may = false;
  const held = new Work(queue, 'a', () => may || undefined);
  const next = new Work(queue, 'a');
  await begun();
  expect([held.hasBegun, next.hasBegun]).toEqual([false, true]);
  may = true;
  await first.end();
  expect(held.hasBegun).toBe(true);
});

test('a sign-in that may not begin is refused when it has waited too long, even while slots are free', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const queue = new SignInQueue(localQueueLimits);
    const held = new Work(queue, 'a', () => undefined);
    const refused = expect(held.done).rejects.toMatchObject({ code: 'auth.queue-full' });
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
  } finally {
    vi.useRealTimers();
  }
});

test('a waiting sign-in whose tryBegin throws is rejected with that error', async () => {
  const queue = new SignInQueue(localQueueLimits);
  const first = new Work(queue, 'a');
  let begin: () => unknown = () => undefined;
  const held = new Work(queue, 'a', () => begin());
  await begun();
  begin = () => {
    throw new Error('too many failures');
  };
  await first.end();
  await expect(held.done).rejects.toThrow('too many failures');
});
