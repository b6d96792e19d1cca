import { createHistogram } from 'node:perf_hooks';

/** Period of the timer, in milliseconds. */
const periodMs = 10;
/** Time after a request for which the delay is measured. */
const measuredMs = 1_000;

/**
 * Measures how late the event loop serves a timer while requests arrive. The timer stops between requests, so that it
 * does not wake an idle process a hundred times per second.
 */
export class EventLoopDelay {
  private readonly histogram = createHistogram();
  private timer: NodeJS.Timeout | undefined;
  private dueMs = 0;
  private endMs = 0;

  /** Measures the delay for the next second. Must be called for each request. */
  noteRequest(): void {
    const nowMs = performance.now();
    this.endMs = nowMs + measuredMs;
    if (this.timer) return;
    this.dueMs = nowMs + periodMs;
    this.timer = setInterval(() => this.measure(), periodMs).unref();
  }

  /**
   * Returns the median, the 99th percentile and the maximum of the delay since the last call, in seconds. Empty without
   * requests.
   */
  read(): [statistic: string, seconds: number][] {
    const { histogram } = this;
    if (histogram.count === 0) return [];
    const statistics: [string, number][] = [
      ['p50', histogram.percentile(50) / 1e6],
      ['p99', histogram.percentile(99) / 1e6],
      ['max', histogram.max / 1e6],
    ];
    histogram.reset();
    return statistics;
  }

  private measure(): void {
    const nowMs = performance.now();
    // A histogram cannot record zero.
    this.histogram.record(Math.max(1, Math.round((nowMs - this.dueMs) * 1_000)));
    this.dueMs = nowMs + periodMs;
    if (nowMs < this.endMs) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
