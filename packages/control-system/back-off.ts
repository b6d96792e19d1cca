import { SourcePaused, SourceUnavailable } from './sources.port.js';

const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Pauses requests to a source after a failure, for longer after each further failure, and remembers the reason. */
export class BackOff {
  private pauseMs = 0;
  private untilMs = 0;
  private reason: string | undefined;
  private failuresInRow = 0;

  /** @param tolerated number of consecutive failures that do not pause requests, because one device may be the cause */
  constructor(private readonly tolerated = 0) {}

  get failure(): string | undefined {
    return this.reason;
  }

  /**
   * Runs a request unless the source is paused after a failure.
   * @throws SourceUnavailable for every failure; the reason of `signal` when it aborts
   */
  async run<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (performance.now() < this.untilMs) throw new SourcePaused(this.reason);
    try {
      const result = await request();
      this.reason = undefined;
      this.pauseMs = 0;
      this.failuresInRow = 0;
      return result;
    } catch (error) {
      if (signal.aborted) throw error;
      this.reason = error instanceof Error ? error.message || error.name : String(error);
      this.failuresInRow += 1;
      if (this.failuresInRow > this.tolerated) {
        this.pauseMs = Math.min(maxPauseMs, Math.max(firstPauseMs, 2 * this.pauseMs));
        this.untilMs = performance.now() + this.pauseMs;
      }
      throw error instanceof SourceUnavailable ? error : new SourceUnavailable(this.reason, { cause: error });
    }
  }
}
