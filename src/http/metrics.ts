import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { withTimeout } from '../kernel/with-timeout.js';
import { DurationHistogram } from './duration-histogram.js';

/** Period of the timer with which the delay of the event loop is measured, in milliseconds. */
const delayTimerMs = 10;
/** Time limit for reading a value. A slower value is left out, so that it does not delay the scrape. */
const readTimeoutMs = 2_000;
/** How long values from the storage are reused. Anyone who reaches the service may request the metrics. */
const storedValueMs = 1_000;
/** Upper bounds of the buckets, in seconds. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The metrics of requests and of the process, for `/metrics`. */
export class RequestMetrics {
  private readonly registry = new Registry();
  private readonly requests = new DurationHistogram(
    {
      name: 'logbook_http_request_duration_seconds',
      help: 'Time from a request to the end of its response, in seconds.',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    },
    this.registry,
  );

  private readonly aborted = new Counter({
    name: 'logbook_http_aborted_requests_total',
    help: 'Requests whose clients left before the response was sent, by where they were: upload, waiting, download.',
    labelNames: ['at'],
    registers: [this.registry],
  });

  private readonly slow = new Counter({
    name: 'logbook_slow_requests_total',
    help: 'Requests that took at least slowRequestThreshold, not counting the time in which their clients sent or read.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // Gauges with the suffix of counters, which Prometheus objects to; the gauges by type have the same numbers.
    for (const name of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${name}_total`);
    }
    const delay = monitorEventLoopDelay({ resolution: delayTimerMs });
    delay.enable();
    this.gaugePer(
      'statistic',
      'logbook_event_loop_delay_seconds',
      'How late the event loop served a timer since the last scrape: median (p50), 99th percentile (p99) and longest delay (max).',
      () => readDelays(delay),
    );
  }

  recordRequest(method: string, route: string, status: number, ms: number): void {
    this.requests.record(`${method} ${status} ${route}`, ms, () => ({ method, route, status: String(status) }));
  }

  recordAborted(at: string): void {
    this.aborted.inc({ at });
  }

  recordSlow(): void {
    this.slow.inc();
  }

  /** Adds a gauge whose value is read whenever the metrics are requested. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** A gauge with one value for each value of `label`, read at every scrape; an undefined value is left out. */
  gaugePer(
    label: string,
    name: string,
    help: string,
    read: () => Iterable<readonly [labelValue: string, value: number | undefined]>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [labelValue, value] of read()) if (value !== undefined) this.set({ [label]: labelValue }, value);
      },
    });
  }

  /**
   * As `gaugePer`, with values that are read from a storage or a disk. They are left out while that fails or takes too
   * long; a scrape never fails because of them.
   */
  storedGaugePer(
    label: string,
    name: string,
    help: string,
    read: () => Promise<Iterable<readonly [labelValue: string, value: number | undefined]>>,
  ): void {
    const readAgain = reusing(storedValueMs, () => withTimeout(readTimeoutMs, read).catch(() => []));
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      async collect() {
        const values = await readAgain();
        this.reset();
        for (const [labelValue, value] of values) if (value !== undefined) this.set({ [label]: labelValue }, value);
      },
    });
  }

  /** As `storedGaugePer`, of one value. */
  storedGauge(name: string, help: string, read: () => Promise<number | undefined>): void {
    const readAgain = reusing(storedValueMs, () => withTimeout(readTimeoutMs, read).catch(() => undefined));
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const value = await readAgain();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  /** Adds a histogram of durations; returns the function that records one of them. The label must have few values. */
  durations(label: string, name: string, help: string): (labelValue: string, ms: number) => void {
    const histogram = new DurationHistogram({ name, help, buckets: durationBuckets }, this.registry);
    return (labelValue, ms) => histogram.record(labelValue, ms, () => ({ [label]: labelValue }));
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Returns the statistics of the delays since the last call, in seconds. */
function readDelays(delay: ReturnType<typeof monitorEventLoopDelay>): [statistic: string, seconds: number][] {
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - delayTimerMs / 1_000);
  const statistics: [string, number][] =
    delay.count === 0
      ? []
      : [
          ['p50', seconds(delay.percentile(50))],
          ['p99', seconds(delay.percentile(99))],
          ['max', seconds(delay.max)],
        ];
  delay.reset();
  return statistics;
}

/**
 * Returns a function that calls `read` at most once in this number of milliseconds, and never twice at the same time.
 */
function reusing<T>(validMs: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { readonly value: Promise<T>; endedMs: number } | undefined;
  return () => {
    if (latest && performance.now() - latest.endedMs < validMs) return latest.value;
    const next = { value: read(), endedMs: Number.POSITIVE_INFINITY };
    latest = next;
    void next.value.finally(() => {
      next.endedMs = performance.now();
    });
    return next.value;
  };
}
