export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Span of a client request in a tracing system. */
export interface RequestSpan {
  /** Runs `work`, and everything that it starts, as part of the request. */
  run(work: () => void): void;
  /** Must be called once, when the request has ended. */
  end(name: string, attributes: SpanAttributes, isFailure: boolean): void;
}

/** Records the operations of the service and their durations for tracing systems. */
export interface Tracing {
  /**
   * Starts the span of a request, in the trace named by its headers if there is one. Returns undefined if tracing is
   * off.
   */
  startRequest(headers: Readonly<Record<string, string | readonly string[] | undefined>>): RequestSpan | undefined;
  /**
   * Runs `work` in a child of the current span, under a constant name; outside a trace, only runs it. Settles as `work`
   * does.
   */
  inSpan<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` like `inSpan`, but starts a trace if there is none.
   * @param attributes must not contain secrets or user data
   * @param causes causes of this span, which is linked to the spans that noted them
   */
  inTrace<T>(name: string, attributes: SpanAttributes, causes: readonly string[], work: () => Promise<T>): Promise<T>;
  /**
   * Returns a function that records something as caused by the current span, so that later spans in this process can be
   * linked to it. The oldest records are dropped.
   */
  noteCauses(): (caused: string) => void;
  /** Returns the headers that pass the current trace to another server. */
  outgoingHeaders(): Readonly<Record<string, string>>;
}

/** Replacement when no tracing system is configured. */
export const noTracing: Tracing = {
  startRequest: () => undefined,
  inSpan: (_name, work) => work(),
  inTrace: (_name, _attributes, _causes, work) => work(),
  noteCauses: () => () => undefined,
  outgoingHeaders: () => ({}),
};
