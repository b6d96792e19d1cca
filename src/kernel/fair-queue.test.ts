import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FairQueue, type FairQueueLimits, QueueFull, type QueueTicket, type Rest } from './fair-queue.js';

const limits = { slots: 2, slotsPerClient: 1, waitingPerClient: 3, waiting: 5 };

/** Enters requests, named by client and number, and records the order in which they get their slots. */
function queueOf(some: Partial<FairQueueLimits> = {}, rest?: Rest) {
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
  test('a client with many requests does not get all slots; another is served immediately', async () => {
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

  test('a request that is not ready lets the next one pass, and waits for a slot once it is ready', async () => {
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

  test('takeSlot takes a free slot immediately, unless the client or all clients have their maximum', async () => {
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

  test('when the queue is full, the newest request of the client with the most requests makes room', async () => {
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

  test('hasRoom tells whether a client may have another waiting request', async () => {
    const { queue, enter, leave } = queueOf();
    enter('a1', 'a2', 'a3', 'a4');
    await settled();
    expect([queue.hasRoom('a'), queue.hasRoom('b')]).toEqual([false, true]);
    await leave('a1');
    expect(queue.hasRoom('a')).toBe(true);
  });

  test('requests that have left do not count', async () => {
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

test('the share of a client may shrink while it has slots, and grow again', async () => {
  let share = 3;
  const { served, enter, leave } = queueOf({ slots: 4, slotsPerClient: () => share, waitingPerClient: 9, waiting: 9 });
  enter('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
  share = 1;
  await leave('a1', 'a2');
  expect(served).toEqual(['a1', 'a2', 'a3']);
  await leave('a3');
  expect(served.at(-1)).toBe('a4');
  share = 2;
  await leave('a4');
  expect(served.slice(-2)).toEqual(['a5', 'a6']);
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

  test('a resting slot counts for its client, which may use its other slots', async () => {
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

  test('a request that is refused or leaves before its turn causes no rest', async () => {
    const { queue, enter, leave } = restingQueue({ slots: 1 });
    enter('b1', 'a1');
    await settled();
    vi.advanceTimersByTime(20);
    await leave('a1', 'b1');
    expect(queue.enter('a').takeSlot()).toBe(true);
  });
});

describe('a task waits no longer than it wants to', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a task whose signal aborts is rejected with the reason, and the next has its turn', async () => {
    const { queue, served, enter, leave } = queueOf({ slots: 1 });
    enter('a1');
    const stop = new AbortController();
    const waiting = queue.enter('b').turn({ signal: stop.signal });
    enter('c1');
    stop.abort(new Error('disconnected'));
    await expect(waiting).rejects.toThrow('disconnected');
    await expect(queue.enter('b').turn({ signal: stop.signal })).rejects.toThrow('disconnected');
    await leave('a1');
    expect(served).toEqual(['a1', 'c1']);
  });

  test('a task that has waited too long is refused, and takes up no room', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { queue, enter, leave } = queueOf({ slots: 1, waitingPerClient: 1 });
    enter('a1');
    const work = vi.fn();
    const waiting = queue.run('b', work, { maxWaitMs: 50 });
    expect(() => queue.enter('b')).toThrow(QueueFull);
    vi.advanceTimersByTime(50);
    await expect(waiting).rejects.toMatchObject({ reached: 'time' });
    let finish = (_result: string) => {};
    const late = () => new Promise<string>((resolve) => (finish = resolve));
    const served = queue.run('b', late, { maxWaitMs: 50 });
    await leave('a1');
    vi.advanceTimersByTime(100);
    expect(queue.enter('c').takeSlot()).toBe(false);
    finish('served');
    expect(await served).toBe('served');
    expect(work).not.toHaveBeenCalled();
  });
});

test('more light tasks than heavy ones can wait; a heavy one displaces only as many as necessary', async () => {
  const queue = new FairQueue({ ...limits, slots: 1, waitingPerClient: 3, waiting: 4 });
  queue.enter('first', { isReady: true });
  const refused: string[] = [];
  const enter = (client: string, weight: number) =>
    queue
      .enter(client, { weight })
      .turn()
      .catch(() => refused.push(client));
  for (let at = 0; at < 12; at++) void enter('many', 0.25);
  expect(() => queue.enter('many', { weight: 0.25 })).toThrow(QueueFull);
  void enter('one', 0.5);
  void enter('one', 1);
  await settled();
  expect(refused).toEqual(['many', 'many']);
  // Any other client would keep less than this one would have, so nothing is displaced.
  expect(() => queue.enter('two', { weight: 2 })).toThrow(QueueFull);
  void enter('two', 0.25);
  await settled();
  expect(refused).toEqual(['many', 'many', 'many']);
});

test('work leaves its slot when it fails, and a ready task needs no room while a slot is free', async () => {
  const queue = new FairQueue({ ...limits, slots: 1, waitingPerClient: 1 });
  queue.enter('a');
  await expect(queue.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await queue.run('a', () => 'done')).toBe('done');
});

test('whatever enters, leaves and gives up: no slot idles while a task could use it; no client is passed over', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const step = fc.record({
    client: fc.constantFrom(...names),
    kind: fc.constantFrom('enter', 'ready', 'come', 'come', 'come', 'leave', 'leave', 'abort'),
  });
  const sizes = fc.record({ slots: fc.integer({ min: 1, max: 4 }), slotsPerClient: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(step, { minLength: 40, maxLength: 80 }), async (size, steps) => {
      const queue = new FairQueue({ ...size, waitingPerClient: 4, waiting: 10 });
      const model = new QueueModel(queue, size);
      for (const { client, kind } of steps) {
        model.apply(client, kind);
        await settled();
        model.check();
      }
    }),
    { numRuns: 60 },
  );
});

interface ModelTask {
  readonly client: string;
  readonly ticket: QueueTicket;
  readonly stop: AbortController;
  state: 'unready' | 'ready' | 'working' | 'gone';
  /** Number of slots that each other client got while this one could have had one. */
  readonly passedBy: Map<string, number>;
}

/** The tasks of a queue as its callers know them. */
class QueueModel {
  private tasks: ModelTask[] = [];
  private mostPassed = 0;

  constructor(
    private readonly queue: FairQueue,
    private readonly size: { readonly slots: number; readonly slotsPerClient: number },
  ) {}

  apply(client: string, kind: string): void {
    if (kind === 'enter' || kind === 'come') this.enter(client);
    if (kind === 'enter') return;
    if (kind === 'ready' || kind === 'come') this.setReady(client);
    else if (kind === 'leave') this.leave(client);
    else this.find(client, 'ready', ({ stop }) => stop.abort(new Error('gave up')), 'gone');
  }

  check(): void {
    this.tasks = this.tasks.filter(({ state }) => state !== 'gone');
    const working = this.tasks.filter(({ state }) => state === 'working');
    expect(working.length).toBeLessThanOrEqual(this.size.slots);
    for (const { client } of working) expect(this.slotsOf(client)).toBeLessThanOrEqual(this.size.slotsPerClient);
    const served = this.tasks.filter(({ client, state }) => state === 'ready' && this.mayStart(client));
    expect(served).toEqual([]);
    expect(this.mostPassed).toBeLessThanOrEqual(1);
  }

  private slotsOf(client: string): number {
    return this.tasks.filter((task) => task.client === client && task.state === 'working').length;
  }

  private mayStart(client: string): boolean {
    const working = this.tasks.filter(({ state }) => state === 'working').length;
    return working < this.size.slots && this.slotsOf(client) < this.size.slotsPerClient;
  }

  private enter(client: string): void {
    try {
      const ticket = this.queue.enter(client);
      this.tasks.push({ client, ticket, stop: new AbortController(), state: 'unready', passedBy: new Map() });
    } catch (error) {
      expect(error).toBeInstanceOf(QueueFull);
    }
  }

  private setReady(client: string): void {
    const task = this.tasks.find((one) => one.client === client && one.state === 'unready');
    if (!task) return;
    task.state = 'ready';
    task.ticket.turn({ signal: task.stop.signal }).then(
      () => this.noteStart(task),
      () => {
        task.state = 'gone';
      },
    );
  }

  /** Returns a slot. The other clients get theirs before the next one of its client. */
  private leave(client: string): void {
    if (this.slotsOf(client) === 0) return;
    for (const task of this.tasks) if (task.client === client) task.passedBy.clear();
    this.find(client, 'working', ({ ticket }) => ticket.leave());
  }

  /** Counts a start for the oldest ready task of each other client that may have another slot. */
  private noteStart(started: ModelTask): void {
    started.state = 'working';
    for (const client of new Set(this.tasks.map((task) => task.client))) {
      if (client === started.client || this.slotsOf(client) >= this.size.slotsPerClient) continue;
      const passed = this.tasks.find((task) => task.client === client && task.state === 'ready');
      if (!passed) continue;
      const count = (passed.passedBy.get(started.client) ?? 0) + 1;
      passed.passedBy.set(started.client, count);
      this.mostPassed = Math.max(this.mostPassed, count);
    }
  }

  private find(client: string, state: ModelTask['state'], act: (task: ModelTask) => void, then = 'gone'): void {
    const task = this.tasks.find((one) => one.client === client && one.state === state);
    if (!task) return;
    task.state = then as ModelTask['state'];
    act(task);
  }
}
