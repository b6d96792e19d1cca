import { setTimeout as sleep } from 'node:timers/promises';
import { type MonotonicClock, monotonicClock } from './clock.js';

/** Maximum credit for unused time, which later bytes may use. */
const maxCreditMs = 1_000;

export interface ByteRateDeps {
  readonly monotonic: MonotonicClock;
  /** Pauses for a time; rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const real: ByteRateDeps = {
  monotonic: monotonicClock,
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Limits the average rate of a stream of bytes. After an idle time, the bytes of one second pass without delay. */
export class ByteRate {
  /** Time at which all bytes taken so far are within the rate. */
  private paidMs: number;

  /** @param bytesPerSecond undefined: no limit */
  constructor(
    private readonly bytesPerSecond: number | undefined,
    private readonly signal: AbortSignal,
    private readonly deps: ByteRateDeps = real,
  ) {
    this.paidMs = deps.monotonic.elapsedMs();
  }

  /** Resolves when this number of bytes is within the rate. @throws the reason of the signal */
  async take(bytes: number): Promise<void> {
    if (this.bytesPerSecond === undefined) return;
    const nowMs = this.deps.monotonic.elapsedMs();
    this.paidMs = Math.max(this.paidMs, nowMs - maxCreditMs) + (bytes / this.bytesPerSecond) * 1_000;
    if (this.paidMs <= nowMs) return;
    await this.deps.pause(this.paidMs - nowMs, this.signal).catch((error: unknown) => {
      this.signal.throwIfAborted();
      throw error;
    });
  }

  /** Yields the chunks at this rate. */
  async *pace(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      await this.take(chunk.length);
      yield chunk;
    }
  }
}
