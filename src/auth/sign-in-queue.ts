import { FairQueue, type FairQueueLimits, QueueFull } from '../kernel/fair-queue.js';
import type { Fault } from '../kernel/fault.js';
import { type Limit, limitFault } from '../kernel/limit.js';
import { counted } from '../kernel/text.js';
import type { AuthenticationProvider } from './authentication-provider.port.js';

export interface SignInQueueLimits extends FairQueueLimits {
  readonly maxWaitMs: number;
}

const remoteQueueLimits: SignInQueueLimits = {
  // The client of a directory opens this number of connections.
  slots: 16,
  // Half of the slots remain for other clients while the sign-ins of one client take long.
  slotsPerClient: 8,
  waiting: 2_000,
  waitingPerClient: 200,
  maxWaitMs: 20_000,
};

/** Limits for a provider in this process, which answers without delay. */
export const localQueueLimits: SignInQueueLimits = {
  ...remoteQueueLimits,
  slots: Number.POSITIVE_INFINITY,
  slotsPerClient: Number.POSITIVE_INFINITY,
};

/**
 * Returns the queue of a provider. Each provider has its own, so that a hung directory does not delay other sign-ins.
 */
export type QueueOf = (provider: AuthenticationProvider) => SignInQueue;

export function openSignInQueues(): QueueOf {
  const queues = new Map<string, SignInQueue>();
  return ({ name, isRemote }) => {
    const queue = queues.get(name) ?? new SignInQueue(isRemote ? remoteQueueLimits : localQueueLimits);
    queues.set(name, queue);
    return queue;
  };
}

/** Interval between attempts of a sign-in that waits for the outcome of others, which may be on another node. */
const heldRetryMs = 250;

/**
 * Runs the sign-ins of one authentication provider, a limited number at a time. Clients take turns, so that a client
 * with many sign-ins delays only its own.
 */
export class SignInQueue {
  private readonly queue: FairQueue;
  /** Callbacks of sign-ins that wait for the outcome of others, and not only for a free slot. */
  private held: (() => void)[] = [];
  private heldTimer: NodeJS.Timeout | undefined;

  constructor(private readonly limits: SignInQueueLimits) {
    this.queue = new FairQueue(limits);
  }

  /**
   * Runs `work` with the result of `tryBegin` as soon as that is not undefined and a slot is free. Rejects with the
   * errors of both.
   * @param client client that signs in
   * @throws Fault busy `auth.queue-full` when too many sign-ins wait, or this one has waited too long
   */
  async run<B, T>(client: string, tryBegin: () => Promise<B | undefined>, work: (begun: B) => Promise<T>): Promise<T> {
    try {
      return await this.runInTurn(client, tryBegin, work);
    } catch (error) {
      throw error instanceof QueueFull ? this.toFault(error, client) : error;
    }
  }

  private async runInTurn<B, T>(
    client: string,
    tryBegin: () => Promise<B | undefined>,
    work: (begun: B) => Promise<T>,
  ) {
    const deadlineMs = performance.now() + this.limits.maxWaitMs;
    let ticket = this.queue.enter(client, { isReady: true });
    for (;;) {
      await ticket.turn({ maxWaitMs: Math.max(0, deadlineMs - performance.now()) });
      let isHeld = false;
      try {
        const begun = await tryBegin();
        if (begun !== undefined) return await work(begun);
        isHeld = true;
      } finally {
        ticket.leave();
        if (!isHeld) this.noteOutcome();
      }
      ticket = this.queue.enter(client);
      await this.nextOutcome();
      // If a slot is free, `turn` resolves without regard to the deadline.
      if (performance.now() >= deadlineMs) {
        ticket.leave();
        throw new QueueFull('time');
      }
    }
  }

  /** Resolves when another sign-in has ended, or after a while. */
  private nextOutcome(): Promise<void> {
    this.heldTimer ??= setTimeout(() => this.noteOutcome(), heldRetryMs).unref();
    return new Promise((resolve) => this.held.push(resolve));
  }

  private noteOutcome(): void {
    clearTimeout(this.heldTimer);
    this.heldTimer = undefined;
    for (const resume of this.held.splice(0)) resume();
  }

  private toFault({ reached }: QueueFull, client: string): Fault {
    const refused = 'Too many sign-ins are waiting for the user directory.';
    const limit = { setting: undefined, ...this.describe(reached, client) };
    return limitFault(
      'busy',
      'auth.queue-full',
      { refused, limit, advice: 'Try again in a moment.' },
      { retryAfterSeconds: 5 },
    );
  }

  private describe(reached: QueueFull['reached'], client: string): Pick<Limit, 'amount' | 'countedFor'> {
    const { waiting, waitingPerClient, maxWaitMs } = this.limits;
    switch (reached) {
      case 'client':
        return { amount: counted(waitingPerClient, 'waiting sign-in'), countedFor: `the address ${client}` };
      case 'total':
        return { amount: counted(waiting, 'waiting sign-in'), countedFor: 'all addresses together' };
      case 'time':
        return { amount: `${maxWaitMs / 1_000} s of waiting`, countedFor: `each sign-in, here one from ${client}` };
    }
  }
}
