const turnMs = 5;

/**
 * Lets requests of all connections work in turns: one for a few milliseconds, then whatever else the event loop has to
 * do, then the next.
 */
export class FairScheduler {
  private readonly waiting: (() => void)[] = [];
  private isScheduled = false;

  /** Resolves to the time, of `performance.now()`, when the turn is over. */
  async next(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.schedule();
    });
    return performance.now() + turnMs;
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.waiting.shift()?.();
      this.schedule();
    });
  }
}
