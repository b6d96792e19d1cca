export interface FairQueueLimits {
  /** Maximum number of slots in use. */
  readonly slots: number;
  /**
   * Maximum number of slots of one client, so that some remain for other clients. A function returns the current
   * maximum of a client.
   */
  readonly slotsPerClient: number | ((client: string) => number);
  /** Maximum total weight of the waiting tasks of one client. */
  readonly waitingPerClient: number;
  /** Maximum total weight of the waiting tasks of all clients. */
  readonly waiting: number;
}

/** Error of a refused task. */
export class QueueFull extends Error {
  /**
   * @param reached `client`: too many tasks of the client are waiting; `total`: too many tasks of all clients are
   * waiting, and none can be displaced; `time`: the task waited too long
   */
  constructor(readonly reached: 'client' | 'total' | 'time') {
    super(`the queue is full (${reached})`);
  }
}

export interface EnterOptions {
  readonly isReady?: boolean;
  /**
   * Weight of the task while it waits. Default: 1. Must be a multiple of a fixed power of two, so that sums are exact.
   */
  readonly weight?: number;
}

/** Limits of a task's wait for its turn. */
export interface Patience {
  readonly signal?: AbortSignal;
  readonly maxWaitMs?: number;
}

/** Ticket of a task in the queue. */
export interface QueueTicket {
  /** Takes a free slot; returns false if there is none and the task must wait for its turn. */
  takeSlot(): boolean;
  /**
   * Resolves when the task has a slot. When it rejects, the task has left the queue.
   * @throws QueueFull when the task was refused in favour of clients with fewer tasks or has waited too long; the
   * reason of the signal when it aborts first
   */
  turn(patience?: Patience): Promise<void>;
  /** Returns the ticket or the slot. Later calls have no effect. */
  leave(): void;
}

/** Returns the time, in ms, for which a client has one slot fewer after using one for `workedMs`. */
export type Rest = (client: string, workedMs: number) => number;

/** Minimum rest, because timers have no shorter delays. */
const minRestMs = 1;

interface Client {
  readonly name: string;
  /** Number of slots of the client, including resting ones. */
  slots: number;
  /** Waiting tasks, oldest first. */
  readonly waiting: Task[];
  /** Total weight of the waiting tasks. */
  load: number;
}

interface TaskActions {
  readonly takeSlot: (task: Task) => boolean;
  readonly turn: (task: Task, patience?: Patience) => Promise<void>;
  readonly leave: (task: Task) => void;
}

class Task implements QueueTicket {
  state: 'waiting' | 'working' | 'refused' | 'left' = 'waiting';
  /** Time at which the task received its slot. */
  startedMs = 0;
  /** Set once the task is ready to run; before that, its turn passes to the next task. */
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
 * Assigns a limited number of slots to the tasks of many clients. Clients take turns, and none can occupy all slots, so
 * that a client with one task waits for few others, no matter how many tasks another client has. When too many tasks
 * wait, the newest tasks of the client with the greatest waiting weight are refused.
 */
export class FairQueue {
  /** Clients with tasks; the most recently served are at the end. */
  private readonly clients = new Map<string, Client>();
  private working = 0;
  /** Total weight of all waiting tasks. */
  private load = 0;
  private readonly actions: TaskActions = {
    takeSlot: (task) => this.takeSlot(task),
    turn: (task, patience) => this.turn(task, patience),
    leave: (task) => this.leave(task),
  };

  /**
   * @param rest without it, slots never rest
   * @param refusal returns the error for a refused task of a client; by default the `QueueFull` itself
   */
  constructor(
    readonly limits: FairQueueLimits,
    private readonly rest: Rest = () => 0,
    private readonly refusal: (full: QueueFull, client: string) => Error = (full) => full,
  ) {}

  /** Whether this client may have another waiting task. */
  hasRoom(name: string): boolean {
    return (this.clients.get(name)?.load ?? 0) < this.limits.waitingPerClient;
  }

  /** @throws QueueFull when this client may not have another waiting task */
  requireRoom(name: string): void {
    if (!this.hasRoom(name)) throw this.refuse('client', name);
  }

  /**
   * Takes a ticket in the queue. If the task is ready and a slot is free, it receives the slot immediately.
   * @throws QueueFull when too many tasks of the client, or of all clients, are waiting
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
   * Runs the work when its turn comes; settles like the work.
   * @throws QueueFull like `enter` and `turn`; the reason of the signal when it aborts before the turn
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
    const { slots, slotsPerClient } = this.limits;
    if (this.working >= slots) return false;
    return client.slots < (typeof slotsPerClient === 'number' ? slotsPerClient : slotsPerClient(client.name));
  }

  private takeSlot(task: Task): boolean {
    // No other task is overtaken: a ready task never waits while there is a free slot that it may have.
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

  /** Assigns free slots to ready tasks, in the order of their clients. */
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
   * Makes room for a task that must wait by refusing the newest tasks of the client with the greatest load, provided
   * that this client keeps at least the load that the newcomer would have.
   * @throws QueueFull when the newcomer must be refused instead
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
