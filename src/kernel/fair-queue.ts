export interface FairQueueLimits {
  /** Maximum number of slots in use. */
  readonly slots: number;
  /** Maximum number of slots of one client; the others stay free for other clients. */
  readonly slotsPerClient: number;
  /** Maximum weight of the waiting tasks of one client. */
  readonly waitingPerClient: number;
  /** Maximum weight of the waiting tasks of all clients together. */
  readonly waiting: number;
}

/** A task was refused. */
export class QueueFull extends Error {
  /**
   * @param reached `client`: too many tasks of its client wait; `total`: too many of all clients wait, and no client has
   *   more of them; `time`: it has waited too long
   */
  constructor(readonly reached: 'client' | 'total' | 'time') {
    super(`the queue is full (${reached})`);
  }
}

export interface EnterOptions {
  readonly isReady?: boolean;
  /** Weight of the task while it waits; default 1. A multiple of a fixed power of two, so that sums are exact. */
  readonly weight?: number;
}

/** How long a task waits for its turn at most. */
export interface Patience {
  readonly signal?: AbortSignal;
  readonly maxWaitMs?: number;
}

/** A task in the queue. */
export interface QueueTicket {
  /** Takes a free slot; false when there is none and the task has to wait for its turn. */
  takeSlot(): boolean;
  /**
   * Resolves when the task has a slot. After a rejection, the ticket is given back.
   * @throws QueueFull when it was refused in favour of clients with fewer tasks, or has waited too long; the reason of
   *   the signal when it aborts before
   */
  turn(patience?: Patience): Promise<void>;
  /** Gives the ticket or the slot back. Without effect after the first call. */
  leave(): void;
}

/** Returns for how long a client has one slot fewer, in ms, after it had one for `workedMs`. */
export type Rest = (client: string, workedMs: number) => number;

/** Minimum rest: timers have no shorter delays. */
const minRestMs = 1;

interface Client {
  readonly name: string;
  /** Its slots, those that rest included. */
  slots: number;
  /** Oldest first. */
  readonly waiting: Task[];
  /** Weight of its waiting tasks. */
  load: number;
}

interface TaskActions {
  readonly takeSlot: (task: Task) => boolean;
  readonly turn: (task: Task, patience?: Patience) => Promise<void>;
  readonly leave: (task: Task) => void;
}

class Task implements QueueTicket {
  state: 'waiting' | 'working' | 'refused' | 'left' = 'waiting';
  /** When it got its slot. */
  startedMs = 0;
  /** Set once the task is ready to be worked on; until then its turn passes to the next. */
  ready: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(
    readonly client: Client,
    readonly weight: number,
    private readonly actions: TaskActions,
  ) {}

  takeSlot(): boolean {
    return this.actions.takeSlot(this);
  }

  turn(patience?: Patience): Promise<void> {
    return this.actions.turn(this, patience);
  }

  leave(): void {
    this.actions.leave(this);
  }
}

/**
 * Gives a limited number of slots to the tasks of many clients. Clients take turns, and none of them can have all
 * slots, so that a client with one task waits for few others, however many tasks another client has. When too many
 * wait, the newest tasks of the client with the greatest weight of them are refused.
 */
export class FairQueue {
  /** The clients with tasks; those that had a slot last are at the end. */
  private readonly clients = new Map<string, Client>();
  private working = 0;
  /** Weight of all waiting tasks. */
  private load = 0;
  private readonly actions: TaskActions = {
    takeSlot: (task) => this.takeSlot(task),
    turn: (task, patience) => this.turn(task, patience),
    leave: (task) => this.leave(task),
  };

  /**
   * @param rest without it, no slot rests
   * @param refusal returns the error with which a task of this client is refused; by default the `QueueFull` itself
   */
  constructor(
    readonly limits: FairQueueLimits,
    private readonly rest: Rest = () => 0,
    private readonly refusal: (full: QueueFull, client: string) => Error = (full) => full,
  ) {}

  /** Whether this client may have one more waiting task. */
  hasRoom(name: string): boolean {
    return (this.clients.get(name)?.load ?? 0) < this.limits.waitingPerClient;
  }

  /** @throws QueueFull when this client may not have one more waiting task */
  requireRoom(name: string): void {
    if (!this.hasRoom(name)) throw this.refuse('client', name);
  }

  /**
   * Takes a ticket in the queue. If the task is ready and there is a free slot, it has the slot immediately.
   * @throws QueueFull when too many tasks of the client wait, or of all clients
   */
  enter(name: string, { isReady = false, weight = 1 }: EnterOptions = {}): QueueTicket {
    const client = this.clients.get(name) ?? { name, slots: 0, waiting: [], load: 0 };
    const startsNow = isReady && this.hasSlotFor(client);
    if (!startsNow) this.makeRoom(client, weight);
    const task = new Task(client, weight, this.actions);
    client.waiting.push(task);
    client.load += weight;
    this.load += weight;
    this.clients.set(name, client);
    if (startsNow) this.start(task);
    return task;
  }

  /**
   * Runs the work when it is its turn, and settles as it does.
   * @throws QueueFull as `enter` and `turn` do; the reason of the signal when it aborts before the turn
   */
  async run<T>(name: string, work: () => T | Promise<T>, patience?: Patience): Promise<T> {
    const ticket = this.enter(name, { isReady: true });
    try {
      await ticket.turn(patience);
      return await work();
    } finally {
      ticket.leave();
    }
  }

  private hasSlotFor(client: Client): boolean {
    return this.working < this.limits.slots && client.slots < this.limits.slotsPerClient;
  }

  private takeSlot(task: Task): boolean {
    // No task that is ready waits while there is a free slot that it may have.
    if (task.state === 'waiting' && this.hasSlotFor(task.client)) this.start(task);
    return task.state === 'working';
  }

  private turn(task: Task, { signal, maxWaitMs }: Patience = {}): Promise<void> {
    if (task.state === 'refused') return Promise.reject(this.refuse('total', task.client.name));
    if (task.state !== 'waiting') return Promise.resolve();
    return new Promise((resolve, reject) => {
      const giveUp = (reason: unknown) => {
        this.leave(task);
        settle(() => reject(reason));
      };
      const abort = () => giveUp(signal?.reason);
      const timer =
        maxWaitMs === undefined
          ? undefined
          : setTimeout(() => giveUp(this.refuse('time', task.client.name)), maxWaitMs);
      const settle = (as: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        as();
      };
      task.ready = { resolve: () => settle(resolve), reject: (error) => settle(() => reject(error)) };
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
      else this.assign();
    });
  }

  private leave(task: Task): void {
    const { client, state } = task;
    task.state = 'left';
    if (state === 'left' || state === 'refused') return;
    if (state === 'working') {
      this.working -= 1;
      this.moveToEnd(client);
      const restMs = this.rest(client.name, performance.now() - task.startedMs);
      if (restMs >= minRestMs) setTimeout(() => this.returnSlot(client), restMs).unref();
      else client.slots -= 1;
    } else this.remove(task);
    this.forgetIfIdle(client);
    this.assign();
  }

  private returnSlot(client: Client): void {
    client.slots -= 1;
    this.forgetIfIdle(client);
    this.assign();
  }

  /** Gives free slots to tasks that are ready, in the order of their clients. */
  private assign(): void {
    while (this.working < this.limits.slots) {
      const next = this.findNext();
      if (!next) return;
      this.start(next);
      next.ready?.resolve();
    }
  }

  private start(task: Task): void {
    const { client } = task;
    this.remove(task);
    task.state = 'working';
    task.startedMs = performance.now();
    this.working += 1;
    client.slots += 1;
    this.moveToEnd(client);
  }

  private findNext(): Task | undefined {
    if (this.load === 0) return undefined;
    for (const client of this.clients.values()) {
      const next = this.hasSlotFor(client) && client.waiting.find(({ ready }) => ready !== undefined);
      if (next) return next;
    }
    return undefined;
  }

  private moveToEnd(client: Client): void {
    this.clients.delete(client.name);
    this.clients.set(client.name, client);
  }

  /**
   * Makes room for a task that has to wait, by refusing the newest tasks of the client with the greatest load, if that
   * client keeps at least the load that this one would have.
   * @throws QueueFull when nothing was refused in its favour
   */
  private makeRoom(newcomer: Client, weight: number): void {
    const load = newcomer.load + weight;
    if (load > this.limits.waitingPerClient) throw this.refuse('client', newcomer.name);
    const missing = () => this.load + weight - this.limits.waiting;
    if (missing() <= 0) return;
    let most = newcomer;
    for (const client of this.clients.values()) if (client.load > most.load) most = client;
    if (most.load - missing() < load) throw this.refuse('total', newcomer.name);
    while (missing() > 0) this.refuseNewest(most);
    this.forgetIfIdle(most);
  }

  private refuseNewest({ name, waiting }: Client): void {
    const task = waiting.at(-1) as Task;
    this.remove(task);
    task.state = 'refused';
    task.ready?.reject(this.refuse('total', name));
  }

  private refuse(reached: QueueFull['reached'], client: string): Error {
    return this.refusal(new QueueFull(reached), client);
  }

  private remove(task: Task): void {
    const { waiting } = task.client;
    waiting.splice(waiting.indexOf(task), 1);
    task.client.load -= task.weight;
    this.load -= task.weight;
  }

  private forgetIfIdle({ name, slots, waiting }: Client): void {
    if (slots === 0 && waiting.length === 0) this.clients.delete(name);
  }
}
