/** Where traces are sent. */
export interface TracingOptions {
  /** URL of a collector that takes OTLP over HTTP, with its path. */
  readonly endpoint: string;
  /** Header fields of each request to it, such as a key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which part of all traces is recorded, from 0 to 1. */
  readonly sampleRatio: number;
}
