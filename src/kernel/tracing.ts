export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A request of a client, as a tracing system sees it. */
export interface RequestSpan {
  /** Runs `work`, and everything that it begins, as parts of the request. */
  run(work: () => void): void;
  /** To be called once, when the request has ended. */
  end(name: string, attributes: SpanAttributes, isFailure: boolean): void;
}

/** Records what the service does in which time, for tracing systems. */
export interface Tracing {
  /** Begins the span of a request, in the trace that its header fields name, if any. Undefined: nothing is traced. */
  startRequest(headers: Readonly<Record<string, string | readonly string[] | undefined>>): RequestSpan | undefined;
  /**
   * Runs `work` as a part of the current span, under a constant name; without a trace, it is only run. Settles as
   * `work` does.
   */
  inSpan<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * As `inSpan`, but begins a trace when there is none.
   * @param attributes no secrets, and nothing that users have written
   * @param causes causes of this span: it is linked to the spans that noted them
   */
  inTrace<T>(name: string, attributes: SpanAttributes, causes: readonly string[], work: () => Promise<T>): Promise<T>;
  /**
   * Returns a function that notes that the current span has caused something, for later consequences of it in this
   * process. The oldest notes are forgotten.
   */
  noteCauses(): (caused: string) => void;
  /** Returns the header fields that tell another server to which trace its part belongs. */
  outgoingHeaders(): Readonly<Record<string, string>>;
}

/** Stands in when no tracing system is configured. */
export const noTracing: Tracing = {
  startRequest: () => undefined,
  inSpan: (_name, work) => work(),
  inTrace: (_name, _attributes, _causes, work) => work(),
  noteCauses: () => () => undefined,
  outgoingHeaders: () => ({}),
};
