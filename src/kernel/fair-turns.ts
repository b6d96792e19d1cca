import { FairQueue, type Rest } from './fair-queue.js';
import { nextRound } from './time-slice.js';

const unlimited = Number.POSITIVE_INFINITY;

/**
 * Shares the event loop among long tasks. One task continues per round, and clients take turns, so that a client with
 * many long tasks slows down only its own.
 */
export class FairTurns {
  private readonly queue: FairQueue;

  /** @param rest without it, no client rests; a turn counts until the end of its round */
  constructor(rest?: Rest) {
    const limits = { slots: 1, slotsPerClient: 1, waitingPerClient: unlimited, waiting: unlimited };
    this.queue = new FairQueue(limits, rest);
  }

  /** Resolves in a later round of the event loop, when this client's turn comes. */
  async next(client: string): Promise<void> {
    const ticket = this.queue.enter(client);
    if (ticket.takeSlot()) await nextRound();
    else await ticket.turn();
    setImmediate(() => ticket.leave());
  }
}

const shared = new FairTurns();

/** Waits for the turn of a long read that counts for no client; one such read continues per round. */
export function nextSharedTurn(): Promise<void> {
  return shared.next('');
}
