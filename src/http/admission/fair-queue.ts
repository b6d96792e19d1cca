import type { Rest } from '../../kernel/fair-turns.js';

export interface FairQueueLimits {
  /** How many requests are worked on at the same time. */
  readonly slots: number;
  /** How many of these slots one client may have; the others stay free for other clients. */
  readonly slotsPerClient: number;
  /** How many requests of one client may wait. */
  readonly waitingPerClient: number;
  /** How many requests may wait altogether. */
  readonly waiting: number;
}

/** Why a request was refused: its client has too many requests waiting, or it had most of them when all tickets were given out. */
export class QueueFull extends Error {}

/** A request in the queue. */
export interface QueueTicket {
  /** Takes a free slot; false when there is none and the request has to wait for its turn. */
  takeSlot(): boolean;
  /**
   * Resolves when the request has a slot.
   * @throws QueueFull when it was refused in favour of clients with fewer requests
   */
  turn(): Promise<void>;
  /** Gives the ticket or the slot back. Without effect after the first call. */
  leave(): void;
}

/** Timers are no finer. */
const minRestMs = 1;

type State = 'waiting' | 'working' | 'refused' | 'left';

interface Client {
  readonly name: string;
  /** Its slots, those that rest included. */
  slots: number;
  /** Oldest first. */
  readonly waiting: Request[];
}

interface Request {
  readonly client: Client;
  state: State;
  /** When it got its slot. */
  startedMs: number;
  /** Set once the request is ready to be worked on; until then its turn passes to the next. */
  ready: { resolve(): void; reject(error: Error): void } | undefined;
}

/**
 * Gives a limited number of slots to the requests of many clients. Clients take turns, and none of them can have all
 * slots, so that a client with one request waits for few others, however many requests another client has sent. When
 * too many wait, the newest request of the client that has most of them is refused.
 */
export class FairQueue {
  /** The clients with requests; those that had a slot last are at the end. */
  private readonly clients = new Map<string, Client>();
  private working = 0;
  private waiting = 0;

  /** @param rest for how long a client has one slot fewer after a request; without it, no slot rests */
  constructor(
    readonly limits: FairQueueLimits,
    private readonly rest: Rest = () => 0,
  ) {}

  /** Whether this client may have a request more waiting. */
  hasRoom(name: string): boolean {
    return (this.clients.get(name)?.waiting.length ?? 0) < this.limits.waitingPerClient;
  }

  /**
   * Takes a ticket in the queue.
   * @throws QueueFull when the client has too many requests waiting
   */
  enter(name: string): QueueTicket {
    const client = this.clients.get(name) ?? { name, slots: 0, waiting: [] };
    if (client.waiting.length >= this.limits.waitingPerClient) throw new QueueFull();
    if (this.waiting >= this.limits.waiting) this.refuseOneOfMost(client);
    const request: Request = { client, state: 'waiting', startedMs: 0, ready: undefined };
    client.waiting.push(request);
    this.waiting += 1;
    this.clients.set(name, client);
    return {
      takeSlot: () => this.takeSlot(request),
      turn: () => this.turn(request),
      leave: () => this.leave(request),
    };
  }

  private takeSlot(request: Request): boolean {
    const { client, state } = request;
    const isFree = this.working < this.limits.slots && client.slots < this.limits.slotsPerClient;
    // No request that is ready waits while there is a free slot that it may have.
    if (state === 'waiting' && isFree) this.start(request);
    return request.state === 'working';
  }

  private turn(request: Request): Promise<void> {
    if (request.state === 'refused') return Promise.reject(new QueueFull());
    if (request.state !== 'waiting') return Promise.resolve();
    return new Promise((resolve, reject) => {
      request.ready = { resolve, reject };
      this.assign();
    });
  }

  private leave(request: Request): void {
    const { client, state } = request;
    request.state = 'left';
    if (state === 'left' || state === 'refused') return;
    if (state === 'working') {
      this.working -= 1;
      this.moveToEnd(client);
      const restMs = this.rest(client.name, performance.now() - request.startedMs);
      if (restMs >= minRestMs) setTimeout(() => this.returnSlot(client), restMs).unref();
      else client.slots -= 1;
    } else this.remove(request);
    this.forgetIfIdle(client);
    this.assign();
  }

  private returnSlot(client: Client): void {
    client.slots -= 1;
    this.forgetIfIdle(client);
    this.assign();
  }

  /** Gives free slots to requests that are ready, in the order of their clients. */
  private assign(): void {
    while (this.working < this.limits.slots) {
      const next = this.findNext();
      if (!next) return;
      this.start(next);
      next.ready?.resolve();
    }
  }

  private start(request: Request): void {
    const { client } = request;
    this.remove(request);
    request.state = 'working';
    request.startedMs = performance.now();
    this.working += 1;
    client.slots += 1;
    this.moveToEnd(client);
  }

  private findNext(): Request | undefined {
    if (this.waiting === 0) return undefined;
    for (const { slots, waiting } of this.clients.values()) {
      if (slots >= this.limits.slotsPerClient) continue;
      const request = waiting.find(({ ready }) => ready !== undefined);
      if (request) return request;
    }
    return undefined;
  }

  private moveToEnd(client: Client): void {
    this.clients.delete(client.name);
    this.clients.set(client.name, client);
  }

  /** Makes room for a request of `newcomer`. @throws QueueFull when no client has more requests waiting than it */
  private refuseOneOfMost(newcomer: Client): void {
    let most = newcomer;
    for (const client of this.clients.values()) if (client.waiting.length > most.waiting.length) most = client;
    const refused = most === newcomer ? undefined : most.waiting.at(-1);
    if (!refused) throw new QueueFull();
    this.remove(refused);
    refused.state = 'refused';
    refused.ready?.reject(new QueueFull());
    this.forgetIfIdle(most);
  }

  private remove(request: Request): void {
    const { waiting } = request.client;
    waiting.splice(waiting.indexOf(request), 1);
    this.waiting -= 1;
  }

  private forgetIfIdle({ name, slots, waiting }: Client): void {
    if (slots === 0 && waiting.length === 0) this.clients.delete(name);
  }
}
