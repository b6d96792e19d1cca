import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The delay of the event loop is that of a timer of so many milliseconds. */
const delayTimerMs = 10;

/** The metrics of requests and of the process, for `/metrics`. */
export class RequestMetrics {
  private readonly registry = new Registry();
  private readonly seconds = new Histogram({
    name: 'logbook_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });

  private readonly aborted = new Counter({
    name: 'logbook_http_aborted_requests_total',
    help: 'Requests whose clients left before the response was sent, by where they were: upload, waiting, download.',
    labelNames: ['at'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    const delay = monitorEventLoopDelay({ resolution: delayTimerMs });
    delay.enable();
    this.gaugePer(
      'quantile',
      'logbook_event_loop_delay_seconds',
      'How late the event loop served a timer since the last scrape: quantiles, and the longest delay as quantile 1.',
      () => readDelays(delay),
    );
  }

  recordRequest(method: string, route: string, status: number, ms: number): void {
    this.seconds.observe({ method, route, status: String(status) }, ms / 1_000);
  }

  recordAborted(at: string): void {
    this.aborted.inc({ at });
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

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Returns the quantiles in seconds since the last call. */
function readDelays(delay: ReturnType<typeof monitorEventLoopDelay>): [quantile: string, seconds: number][] {
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - delayTimerMs / 1_000);
  const quantiles: [string, number][] =
    delay.count === 0
      ? []
      : [
          ['0.5', seconds(delay.percentile(50))],
          ['0.99', seconds(delay.percentile(99))],
          ['1', seconds(delay.max)],
        ];
  delay.reset();
  return quantiles;
}
