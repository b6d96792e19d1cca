import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Rest } from '../../kernel/fair-turns.js';
import { FairQueue, QueueFull, type QueueTicket } from './fair-queue.js';

const limits = { slots: 2, slotsPerClient: 1, waitingPerClient: 3, waiting: 5 };

/** Enters requests, named by client and number, and records the order in which they get their slots. */
function queueOf(some: Partial<typeof limits> = {}, rest?: Rest) {
  const queue = new FairQueue({ ...limits, ...some }, rest);
  const served: string[] = [];
  const refused: string[] = [];
  const tickets = new Map<string, QueueTicket>();
  const enter = (...names: string[]) => {
    for (const name of names) {
      const ticket = queue.enter(name.charAt(0));
      tickets.set(name, ticket);
      ticket.turn().then(
        () => served.push(name),
        (error) => refused.push(error instanceof QueueFull ? name : String(error)),
      );
    }
  };
  const leave = async (...names: string[]) => {
    for (const name of names) tickets.get(name)?.leave();
    await settled();
  };
  return { queue, served, refused, enter, leave };
}

const settled = () => new Promise(setImmediate);

describe('clients take turns', () => {
  test('a client with many requests has not all slots; another is served immediately', async () => {
    const { served, enter } = queueOf();
    enter('a1', 'a2', 'a3', 'b1');
    await settled();
    expect(served).toEqual(['a1', 'b1']);
  });

  test('requests that wait are served in the order of their clients, not of their arrival', async () => {
    const { served, enter, leave } = queueOf();
    enter('a1', 'b1', 'a2', 'a3', 'b2', 'c1');
    await settled();
    for (const name of ['b1', 'c1', 'a1', 'b2', 'a2', 'a3']) await leave(name);
    expect(served).toEqual(['a1', 'b1', 'c1', 'b2', 'a2', 'a3']);
  });

  test('a request that is not ready passes its turn on, and has its place when it is', async () => {
    const { queue, served, enter } = queueOf({ slots: 1 });
    const ticket = queue.enter('b');
    enter('a1');
    await settled();
    expect(served).toEqual(['a1']);
    let hasTurn = false;
    void ticket.turn().then(() => {
      hasTurn = true;
    });
    await settled();
    expect(hasTurn).toBe(false);
  });

  test('a free slot is taken immediately, and none is when its client or all clients have theirs', async () => {
    const { queue, served, enter } = queueOf();
    const [a1, a2, b1] = ['a', 'a', 'b'].map((name) => queue.enter(name));
    expect([a1?.takeSlot(), a2?.takeSlot(), b1?.takeSlot(), b1?.takeSlot()]).toEqual([true, false, true, true]);
    enter('c1');
    a1?.leave();
    await settled();
    expect(served).toEqual(['c1']);
    expect([a1?.takeSlot(), a2?.takeSlot()]).toEqual([false, false]);
  });
});

describe('the queue is bounded', () => {
  test('the client with too many requests is refused, the others are not', async () => {
    const { enter, served } = queueOf();
    enter('a1', 'a2', 'a3', 'a4');
    await settled();
    expect(() => enter('a5')).toThrow(QueueFull);
    enter('b1');
    await settled();
    expect(served).toEqual(['a1', 'b1']);
  });

  test('when all places are taken, the newest request of the client with most of them makes room', async () => {
    const { enter, refused } = queueOf({ waiting: 4 });
    enter('a1', 'b1', 'a2', 'a3', 'a4', 'b2');
    await settled();
    expect(refused).toEqual([]);
    enter('c1');
    await settled();
    expect(refused).toEqual(['a4']);
    enter('d1');
    await settled();
    expect(refused).toEqual(['a4', 'a3']);
    expect(() => enter('b3')).toThrow(QueueFull);
  });

  test('it says whether a client may have a request more waiting', async () => {
    const { queue, enter, leave } = queueOf();
    enter('a1', 'a2', 'a3', 'a4');
    await settled();
    expect([queue.hasRoom('a'), queue.hasRoom('b')]).toEqual([false, true]);
    await leave('a1');
    expect(queue.hasRoom('a')).toBe(true);
  });

  test('a client that has left counts no longer', async () => {
    const { enter, leave, served } = queueOf();
    enter('a1', 'a2', 'a3', 'a4');
    await leave('a2', 'a3', 'a4', 'a1', 'a1');
    enter('a5', 'a6', 'a7', 'a8');
    await settled();
    expect(served).toEqual(['a1', 'a5']);
  });
});

test('a client whose requests leave twice is not forgotten, and keeps to its share of the slots', async () => {
  const { served, enter, leave } = queueOf({ slots: 2, slotsPerClient: 1 });
  enter('a1', 'b1', 'c1');
  await settled();
  await leave('a1', 'b1', 'c1');
  enter('x1', 'y1', 'a2', 'a3');
  await settled();
  await leave('a1', 'b1');
  await leave('x1', 'y1');
  expect(served).toEqual(['a1', 'b1', 'c1', 'x1', 'y1', 'a2']);
  await leave('a2');
  expect(served.at(-1)).toBe('a3');
});

describe('slots rest', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A queue in which the slots of `a` rest for ten times as long as they worked. */
  function restingQueue(some: Partial<typeof limits>) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    return queueOf(some, (client, workedMs) => (client === 'a' ? 10 * workedMs : 0));
  }

  test('a client waits after its request, and others are served in the meantime', async () => {
    const { served, enter, leave } = restingQueue({ slots: 1 });
    enter('a1', 'a2', 'b1', 'b2');
    await settled();
    vi.advanceTimersByTime(20);
    await leave('a1');
    await leave('b1');
    await leave('b2');
    expect(served).toEqual(['a1', 'b1', 'b2']);
    vi.advanceTimersByTime(199);
    await settled();
    expect(served).toHaveLength(3);
    vi.advanceTimersByTime(1);
    await settled();
    expect(served).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  test('a slot that rests is one of its client, who may use the others', async () => {
    const { queue, served, enter, leave } = restingQueue({ slots: 3, slotsPerClient: 2 });
    enter('a1', 'a2');
    await settled();
    vi.advanceTimersByTime(20);
    await leave('a1');
    enter('a3');
    await settled();
    expect(served).toEqual(['a1', 'a2']);
    await leave('a2');
    expect(queue.enter('a').takeSlot()).toBe(false);
    vi.advanceTimersByTime(200);
    await settled();
    expect(served).toEqual(['a1', 'a2', 'a3']);
  });

  test('a request that is refused or leaves before its turn brings no rest', async () => {
    const { queue, enter, leave } = restingQueue({ slots: 1 });
    enter('b1', 'a1');
    await settled();
    vi.advanceTimersByTime(20);
    await leave('a1', 'b1');
    expect(queue.enter('a').takeSlot()).toBe(true);
  });
});
