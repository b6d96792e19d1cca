/** Rate and durations of equal operations; times in milliseconds. */
export interface Measured {
  readonly count: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Collects durations without garbage, which would disturb the measurement. */
export class Latencies {
  private times = new Float64Array(65_536);
  private count = 0;
  private readonly startedMs = performance.now();

  add(ms: number): void {
    if (this.count === this.times.length) {
      const longer = new Float64Array(this.times.length * 2);
      longer.set(this.times);
      this.times = longer;
    }
    this.times[this.count++] = ms;
  }

  summary(): Measured {
    const seconds = (performance.now() - this.startedMs) / 1_000;
    const sorted = this.times.slice(0, this.count).sort();
    const percentile = (percent: number) => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
    return {
      count: this.count,
      perSecond: this.count / seconds,
      p50: percentile(50),
      p95: percentile(95),
      p99: percentile(99),
    };
  }
}
