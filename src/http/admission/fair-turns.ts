import type { Rest } from './fair-queue.js';

/**
 * Divides the event loop among the long responses that are produced on it. In each of its rounds one response produces
 * its next chunk, and clients take turns: a client that reads many long responses at once slows down its own only.
 */
export class FairTurns {
  /** Callbacks that resolve the turns of each client. Clients with the most recent turns are last. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly resting = new Set<string>();
  private isScheduled = false;

  /** @param rest says for how long a client has no other turn after one; a turn takes the rest of its round */
  constructor(private readonly rest: Rest) {}

  /** Resolves in a later round of the event loop, when it is the turn of this client. */
  next(client: string): Promise<void> {
    return new Promise((resolve) => {
      const others = this.waiting.get(client);
      if (others) others.push(resolve);
      else this.waiting.set(client, [resolve]);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled || !this.findNext()) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.grantOne();
    });
  }

  private grantOne(): void {
    const next = this.findNext();
    if (!next) return;
    const [client, turns] = next;
    const resolve = turns.shift();
    this.waiting.delete(client);
    if (turns.length > 0) this.waiting.set(client, turns);
    const startedMs = performance.now();
    setImmediate(() => this.restAfter(client, performance.now() - startedMs));
    this.schedule();
    resolve?.();
  }

  private restAfter(client: string, workedMs: number): void {
    const restMs = this.rest(client, workedMs);
    if (restMs < 1 || this.resting.has(client)) return;
    this.resting.add(client);
    setTimeout(() => {
      this.resting.delete(client);
      this.schedule();
    }, restMs).unref();
  }

  private findNext(): [client: string, turns: (() => void)[]] | undefined {
    for (const next of this.waiting) if (!this.resting.has(next[0])) return next;
    return undefined;
  }
}
