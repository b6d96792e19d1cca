import type { Counter, Metric, Registry } from 'prom-client';
import { withTimeout } from '../kernel/with-timeout.js';
import { DurationHistogram } from './duration-histogram.js';
import { EventLoopDelay } from './event-loop-delay.js';

/** Period of a timer whose metrics are not published: the default of 10 ms would wake an idle process. */
const defaultDelayTimerMs = 86_400_000;
/** Time limit for reading a value. A slower value is left out, so that it does not delay the scrape. */
const readTimeoutMs = 2_000;
/** Time for which values from the storage are reused, because anyone who reaches the service may request metrics. */
const storedValueMs = 1_000;
/** Upper bounds of the buckets, in seconds. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/**
 * Default metrics that are not published: gauges with the suffix of counters, which Prometheus objects to, and the
 * delay of the event loop, which `EventLoopDelay` measures.
 */
const unpublished = [
  ...['handles', 'requests', 'resources'].map((name) => `nodejs_active_${name}_total`),
  ...['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99'].map(
    (name) => `nodejs_eventloop_lag${name}_seconds`,
  ),
];

type Library = typeof import('prom-client');
/** Adds a metric to a registry. */
type Definition = (library: Library, registers: Registry[]) => void;

/**
 * The metrics of requests and of the process, for `/metrics`. Counting begins at the start, but the library that
 * formats the metrics is loaded later.
 */
export class RequestMetrics {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  private readonly definitions: Definition[] = [];
  private opened: Promise<{ library: Library; registry: Registry }> | undefined;
  private readonly aborted = new Map<string, number>();
  private slow = 0;
  private readonly delay = new EventLoopDelay();
  private readonly requests = this.histogram({
    name: 'logbook_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, in seconds.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  });

  constructor() {
    this.counterPer(
      'at',
      'logbook_http_aborted_requests_total',
      'Requests whose clients left before the response was sent, by where they were: upload, waiting, download.',
      this.aborted,
    );
    this.definitions.push(({ Counter }, registers) => {
      const slow = () => this.slow;
      new Counter({
        name: 'logbook_slow_requests_total',
        help: 'Requests that took at least slowRequestThreshold, not counting the time in which their clients sent or read.',
        registers,
        collect() {
          this.reset();
          this.inc(slow());
        },
      });
    });
    this.gaugePer(
      'statistic',
      'logbook_event_loop_delay_seconds',
      'How late the event loop served a timer since the last scrape, while requests arrived: median (p50), 99th percentile (p99) and longest delay (max).',
      () => this.delay.read(),
    );
  }

  /** Notes that a request has arrived. */
  noteRequest(): void {
    this.delay.noteRequest();
  }

  recordRequest(method: string, route: string, status: number, ms: number): void {
    this.requests.record(`${method} ${status} ${route}`, ms, () => ({ method, route, status: String(status) }));
  }

  recordAborted(at: string): void {
    this.aborted.set(at, (this.aborted.get(at) ?? 0) + 1);
  }

  recordSlow(): void {
    this.slow += 1;
  }

  /** Adds a gauge whose value is read whenever the metrics are requested. */
  gauge(name: string, help: string, read: () => number): void {
    this.definitions.push(({ Gauge }, registers) => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    });
  }

  /** Adds a gauge with one value for each value of `label`, read at every scrape. An undefined value is left out. */
  gaugePer(
    label: string,
    name: string,
    help: string,
    read: () => Iterable<readonly [labelValue: string, value: number | undefined]>,
  ): void {
    this.definitions.push(({ Gauge }, registers) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [labelValue, value] of read()) if (value !== undefined) this.set({ [label]: labelValue }, value);
        },
      });
    });
  }

  /**
   * Adds a gauge like `gaugePer`, with values that are read from a storage or a disk. They are left out while reading
   * fails or takes too long, so that the scrape itself never fails.
   */
  storedGaugePer(
    label: string,
    name: string,
    help: string,
    read: () => Promise<Iterable<readonly [labelValue: string, value: number | undefined]>>,
  ): void {
    const readAgain = reusing(storedValueMs, () => withTimeout(readTimeoutMs, read).catch(() => []));
    this.definitions.push(({ Gauge }, registers) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const values = await readAgain();
          this.reset();
          for (const [labelValue, value] of values) if (value !== undefined) this.set({ [label]: labelValue }, value);
        },
      });
    });
  }

  /** Adds a gauge like `storedGaugePer`, with a single value. */
  storedGauge(name: string, help: string, read: () => Promise<number | undefined>): void {
    const readAgain = reusing(storedValueMs, () => withTimeout(readTimeoutMs, read).catch(() => undefined));
    this.definitions.push(({ Gauge }, registers) => {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const value = await readAgain();
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    });
  }

  /** Adds a histogram of durations; returns the function that records one of them. The label must have few values. */
  durations(label: string, name: string, help: string): (labelValue: string, ms: number) => void {
    const histogram = this.histogram({ name, help, buckets: durationBuckets });
    return (labelValue, ms) => histogram.record(labelValue, ms, () => ({ [label]: labelValue }));
  }

  /** Loads the library. Loading it earlier would delay the start. */
  async load(): Promise<void> {
    await import('prom-client');
  }

  async text(): Promise<string> {
    this.opened ??= openRegistry().catch((error: unknown) => {
      // The next scrape tries again.
      this.opened = undefined;
      throw error;
    });
    const { library, registry } = await this.opened;
    for (const define of this.definitions.splice(0)) define(library, [registry]);
    return registry.metrics();
  }

  private histogram(options: ConstructorParameters<typeof DurationHistogram>[0]): DurationHistogram {
    const histogram = new DurationHistogram(options);
    // The registry uses only the name and the values of a metric.
    this.definitions.push((_, [registry]) => registry?.registerMetric(histogram as unknown as Metric));
    return histogram;
  }

  /** Adds a counter with the counts of each value of `label`. */
  private counterPer(label: string, name: string, help: string, counts: ReadonlyMap<string, number>): void {
    this.definitions.push(({ Counter }, registers) => {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [labelValue, count] of counts) this.inc({ [label]: labelValue }, count);
        },
      });
    });
  }
}

/** Opens a registry with the metrics of the process. */
async function openRegistry(): Promise<{ library: Library; registry: Registry }> {
  const library = await import('prom-client');
  const registry = new library.Registry();
  library.collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: defaultDelayTimerMs });
  for (const name of unpublished) registry.removeSingleMetric(name);
  // The library counts from now on, so the CPU time used before is added.
  const { user, system } = process.cpuUsage();
  for (const [name, microseconds] of [
    ['process_cpu_user_seconds_total', user],
    ['process_cpu_system_seconds_total', system],
    ['process_cpu_seconds_total', user + system],
  ] as const) {
    (registry.getSingleMetric(name) as Counter).inc(microseconds / 1e6);
  }
  return { library, registry };
}

/** Returns a function that calls `read` at most once per `validMs`, and never concurrently. */
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
