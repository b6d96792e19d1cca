import type { Fault } from '../kernel/fault.js';
import { type Limit, limitFault } from '../kernel/limit.js';
import { counted } from '../kernel/text.js';

export interface SignInQueueLimits {
  readonly maxRunning: number;
  /** Leaves room for others while the sign-ins of one client take long. */
  readonly maxRunningPerClient: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
  readonly maxWaitMs: number;
}

export const remoteQueueLimits: SignInQueueLimits = {
  // As many connections as the client of a directory opens.
  maxRunning: 16,
  maxRunningPerClient: 8,
  maxWaiting: 2_000,
  maxWaitingPerClient: 200,
  maxWaitMs: 20_000,
};

/** Limits for a provider within the process, which answers without delay. */
export const localQueueLimits: SignInQueueLimits = {
  ...remoteQueueLimits,
  maxRunning: Number.POSITIVE_INFINITY,
  maxRunningPerClient: Number.POSITIVE_INFINITY,
};

interface Waiting {
  readonly client: string;
  readonly deadlineMs: number;
  /** True while it must wait for the outcome of others, and not only for a free place. */
  isHeld: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Resolves to its work, which never rejects; undefined when it must wait longer. */
  begin(): Promise<(() => Promise<void>) | undefined>;
  reject(error: unknown): void;
}

/** How often one that waits for the outcome of others tries again: they may be those of another node. */
const heldRetryMs = 250;

/**
 * Runs the sign-ins of one authentication provider, a limited number at a time. Those that wait are served in turn by
 * client, so that a client with many sign-ins delays itself and not the others.
 */
export class SignInQueue {
  /** Waiting sign-ins by client, in the order in which the clients are served. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private waitingCount = 0;
  private readonly running = new Map<string, number>();
  private runningCount = 0;
  private heldTimer: NodeJS.Timeout | undefined;

  constructor(private readonly limits: SignInQueueLimits) {}

  /**
   * Runs `work` with what `tryBegin` returns, as soon as `tryBegin` returns something and there is a free place.
   * Rejects with what either of them throws.
   * @param client whose sign-in it is
   * @throws Fault busy `auth.queue-full` when too many sign-ins wait, or this one has waited too long
   */
  async run<B, T>(client: string, tryBegin: () => Promise<B | undefined>, work: (begun: B) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry: Waiting = {
        client,
        deadlineMs: performance.now() + this.limits.maxWaitMs,
        isHeld: false,
        timer: undefined,
        begin: async () => {
          const begun = await tryBegin();
          return begun === undefined ? undefined : () => work(begun).then(resolve, reject);
        },
        reject,
      };
      if (this.hasRoomFor(client)) void this.start(entry);
      else this.enqueue(entry);
    });
  }

  /** Takes a place and begins; when it must wait longer, it goes back into the queue. */
  private async start(entry: Waiting): Promise<void> {
    this.countIn(entry.client);
    try {
      const work = await entry.begin();
      await work?.();
      entry.isHeld = work === undefined;
    } catch (error) {
      entry.reject(error);
    }
    this.countOut(entry.client);
    if (entry.isHeld) {
      this.enqueue(entry);
      this.heldTimer ??= setTimeout(() => this.startHeld(), heldRetryMs).unref();
      // Its place is free for others.
      this.startWaiting();
    } else {
      this.startHeld();
    }
  }

  private enqueue(entry: Waiting): void {
    const reached = this.findReachedLimit(entry.client);
    if (reached) {
      entry.reject(queueFull(reached));
      return;
    }
    this.addWaiting(entry);
    const leftMs = Math.max(0, entry.deadlineMs - performance.now());
    entry.timer = setTimeout(() => {
      this.removeWaiting(entry);
      const amount = `${this.limits.maxWaitMs / 1_000} s of waiting`;
      entry.reject(
        queueFull({ amount, setting: undefined, countedFor: `each sign-in, here one from ${entry.client}` }),
      );
    }, leftMs);
  }

  private hasRoomFor(client: string): boolean {
    const { maxRunning, maxRunningPerClient } = this.limits;
    return this.runningCount < maxRunning && (this.running.get(client) ?? 0) < maxRunningPerClient;
  }

  private findReachedLimit(client: string): Limit | undefined {
    const { maxWaiting, maxWaitingPerClient } = this.limits;
    if ((this.waiting.get(client)?.size ?? 0) >= maxWaitingPerClient) {
      const amount = counted(maxWaitingPerClient, 'waiting sign-in');
      return { amount, setting: undefined, countedFor: `the address ${client}` };
    }
    if (this.waitingCount < maxWaiting) return undefined;
    return { amount: counted(maxWaiting, 'waiting sign-in'), setting: undefined, countedFor: 'all addresses together' };
  }

  private countIn(client: string): void {
    this.runningCount++;
    this.running.set(client, (this.running.get(client) ?? 0) + 1);
  }

  private countOut(client: string): void {
    this.runningCount--;
    const left = (this.running.get(client) ?? 1) - 1;
    if (left > 0) this.running.set(client, left);
    else this.running.delete(client);
  }

  /** Starts what can start, also of those that wait for the outcome of others. */
  private startHeld(): void {
    clearTimeout(this.heldTimer);
    this.heldTimer = undefined;
    for (const entries of this.waiting.values()) for (const entry of entries) entry.isHeld = false;
    this.startWaiting();
  }

  /** Starts what can start, one sign-in of each client after the other. */
  private startWaiting(): void {
    let hasStarted = true;
    while (hasStarted && this.runningCount < this.limits.maxRunning) {
      hasStarted = false;
      for (const [client, entries] of [...this.waiting]) {
        const next = this.hasRoomFor(client) ? [...entries].find(({ isHeld }) => !isHeld) : undefined;
        if (!next) continue;
        this.removeWaiting(next);
        // The client goes to the end of the order.
        if (this.waiting.delete(client) && entries.size > 0) this.waiting.set(client, entries);
        void this.start(next);
        hasStarted = true;
      }
    }
  }

  private addWaiting(entry: Waiting): void {
    const entries = this.waiting.get(entry.client) ?? new Set();
    this.waiting.set(entry.client, entries.add(entry));
    this.waitingCount++;
  }

  private removeWaiting(entry: Waiting): void {
    clearTimeout(entry.timer);
    const entries = this.waiting.get(entry.client);
    if (!entries?.delete(entry)) return;
    this.waitingCount--;
    if (entries.size === 0) this.waiting.delete(entry.client);
  }
}

function queueFull(limit: Limit): Fault {
  const refused = 'Too many sign-ins are waiting for the user directory.';
  return limitFault(
    'busy',
    'auth.queue-full',
    { refused, limit, advice: 'Try again in a moment.' },
    { retryAfterSeconds: 5 },
  );
}
