import { FairQueue, type Rest } from './fair-queue.js';
import { nextRound } from './time-slice.js';

const unlimited = Number.POSITIVE_INFINITY;

/**
 * Divides the event loop among long work. In each of its rounds one task continues, and clients take turns: a client
 * with many long tasks slows down its own only.
 */
export class FairTurns {
  private readonly queue: FairQueue;

  /** @param rest without it, no client rests; a turn takes the remainder of its round */
  constructor(rest?: Rest) {
    const limits = { slots: 1, slotsPerClient: 1, waitingPerClient: unlimited, waiting: unlimited };
    this.queue = new FairQueue(limits, rest);
  }

  /** Resolves in a later round of the event loop, when it is the turn of this client. */
  async next(client: string): Promise<void> {
    const ticket = this.queue.enter(client);
    if (ticket.takeSlot()) await nextRound();
    else await ticket.turn();
    setImmediate(() => ticket.leave());
  }
}

const shared = new FairTurns();

/** Resolves when it is the turn of a long read that counts for no client: of all of these, one continues in each round. */
export function nextSharedTurn(): Promise<void> {
  return shared.next('');
}
