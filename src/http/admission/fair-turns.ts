/**
 * Divides the event loop among the long responses that are produced on it. In each of its rounds one response produces
 * its next chunk, and clients take turns: a client that reads many long responses at once slows down its own only.
 */
export class FairTurns {
  /** By client, what resolves its turns. Clients that had a turn last are at the end. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Resolves in a later round of the event loop, when it is the turn of this client. */
  next(client: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.size === 0) setImmediate(() => this.grantOne());
      const others = this.waiting.get(client);
      if (others) others.push(resolve);
      else this.waiting.set(client, [resolve]);
    });
  }

  private grantOne(): void {
    const [first] = this.waiting;
    if (!first) return;
    const [client, turns] = first;
    const resolve = turns.shift();
    this.waiting.delete(client);
    if (turns.length > 0) this.waiting.set(client, turns);
    if (this.waiting.size > 0) setImmediate(() => this.grantOne());
    resolve?.();
  }
}
