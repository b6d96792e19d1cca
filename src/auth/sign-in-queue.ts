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

/** For a provider within the process, whose answers take no time. */
export const localQueueLimits: SignInQueueLimits = {
  ...remoteQueueLimits,
  maxRunning: Number.POSITIVE_INFINITY,
  maxRunningPerClient: Number.POSITIVE_INFINITY,
};

interface Waiting {
  /** Starts the work if it can start now; false when it must wait longer. */
  start(): boolean;
}

/**
 * Runs the sign-ins of one authentication provider, a limited number at a time. Those that wait are served in turn by
 * client, so that a client with many sign-ins delays itself and not the others.
 */
export class SignInQueue {
  /** By client, in the order in which the clients are served next. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private waitingCount = 0;
  private readonly running = new Map<string, number>();
  private runningCount = 0;

  constructor(private readonly limits: SignInQueueLimits) {}

  /**
   * Runs `work` with what `tryBegin` returns, as soon as `tryBegin` returns something and there is a free place.
   * Rejects with what either of them throws.
   * @param client whose sign-in it is
   * @throws Fault busy `auth.queue-full` when too many sign-ins wait, or this one has waited too long
   */
  run<B, T>(client: string, tryBegin: () => B | undefined, work: (begun: B) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const entry: Waiting = {
        start: () => {
          try {
            const begun = this.hasRoomFor(client) ? tryBegin() : undefined;
            if (begun === undefined) return false;
            this.runNow(client, () => work(begun)).then(resolve, reject);
          } catch (error) {
            reject(error as Error);
          }
          clearTimeout(timer);
          return true;
        },
      };
      if (entry.start()) return;
      const reached = this.findReachedLimit(client);
      if (reached) {
        reject(queueFull(reached));
        return;
      }
      this.addWaiting(client, entry);
      timer = setTimeout(() => {
        this.removeWaiting(client, entry);
        const amount = `${this.limits.maxWaitMs / 1_000} s of waiting`;
        reject(queueFull({ amount, setting: undefined, countedFor: `each sign-in, here one from ${client}` }));
      }, this.limits.maxWaitMs);
    });
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

  private async runNow<T>(client: string, work: () => Promise<T>): Promise<T> {
    this.runningCount++;
    this.running.set(client, (this.running.get(client) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.runningCount--;
      const left = (this.running.get(client) ?? 1) - 1;
      if (left > 0) this.running.set(client, left);
      else this.running.delete(client);
      this.startWaiting();
    }
  }

  /** Starts what can start, one sign-in of each client after the other. */
  private startWaiting(): void {
    let hasStarted = true;
    while (hasStarted && this.runningCount < this.limits.maxRunning) {
      hasStarted = false;
      for (const [client, entries] of [...this.waiting]) {
        const started = [...entries].find((entry) => entry.start());
        if (!started) continue;
        this.removeWaiting(client, started);
        // The client goes to the end of the order.
        if (this.waiting.delete(client) && entries.size > 0) this.waiting.set(client, entries);
        hasStarted = true;
      }
    }
  }

  private addWaiting(client: string, entry: Waiting): void {
    const entries = this.waiting.get(client) ?? new Set();
    this.waiting.set(client, entries.add(entry));
    this.waitingCount++;
  }

  private removeWaiting(client: string, entry: Waiting): void {
    const entries = this.waiting.get(client);
    if (!entries?.delete(entry)) return;
    this.waitingCount--;
    if (entries.size === 0) this.waiting.delete(client);
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
