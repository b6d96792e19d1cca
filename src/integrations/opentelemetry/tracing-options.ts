export interface TracingOptions {
  /** URL of a collector that takes OTLP over HTTP, with its path. */
  readonly endpoint: string;
  /** Header fields of each request to the collector, such as a key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fraction of all traces that is recorded, from 0 to 1. */
  readonly sampleRatio: number;
}
