/**
 * Returns for how long a client gets no other turn, in ms, after it has worked for `workedMs`. Others may have one in
 * the meantime.
 */
export type Rest = (client: string, workedMs: number) => number;

/**
 * Divides the event loop among long work. In each of its rounds one task continues, and clients take turns: a client
 * with many long tasks slows down its own only.
 */
export class FairTurns {
  /** Callbacks that resolve the turns of each client. Clients with the most recent turns are last. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly resting = new Set<string>();
  private isScheduled = false;

  /** @param rest without it, no client rests; a turn takes the remainder of its round */
  constructor(private readonly rest?: Rest) {}

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
    this.measure(client);
    this.schedule();
    resolve?.();
  }

  /** Lets the client rest after the turn that begins now. */
  private measure(client: string): void {
    const { rest } = this;
    if (!rest) return;
    const startedMs = performance.now();
    setImmediate(() => this.restFor(client, rest(client, performance.now() - startedMs)));
  }

  private restFor(client: string, restMs: number): void {
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

const shared = new FairTurns();

/** Resolves when it is the turn of a long read that counts for no client: of all of these, one continues in each round. */
export function nextSharedTurn(): Promise<void> {
  return shared.next('');
}
