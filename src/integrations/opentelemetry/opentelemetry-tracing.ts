import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../kernel/log.js';
import { productVersion } from '../../kernel/product.js';
import type { RequestSpan, SpanAttributes, Tracing } from '../../kernel/tracing.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { reportingExporter } from './reporting-exporter.js';
import type { TracingOptions } from './tracing-options.js';

/** Maximum number of spans that wait to be sent; further spans are dropped. */
const maxWaitingSpans = 4_096;
const maxSpansPerRequest = 512;
const sendEveryMs = 2_000;
const sendTimeoutMs = 5_000;
/** Maximum time for which a stop waits for the last spans to be sent. */
const stopTimeoutMs = 1_000;
/** Maximum number of causes that are remembered. Those of late deliveries may be forgotten. */
const maxCauses = 10_000;
/** Maximum length of a value of an attribute; longer ones are cut off. */
const maxValueLength = 256;

type Carrier = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Records traces through the SDK of OpenTelemetry. Nothing waits for the collector; spans that it does not accept are
 * dropped.
 */
export class OpenTelemetryTracing implements Tracing {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly propagator = new W3CTraceContextPropagator();
  /** Context of this service. Plug-ins would share the global context of the SDK. */
  private readonly contexts = new AsyncLocalStorage<Context>();
  /** Spans of causes, by the key of the work that they caused. */
  private readonly causes = new LRUCache<string, SpanContext>({ max: maxCauses });

  constructor({ endpoint: url, headers, sampleRatio }: TracingOptions, log: Log) {
    const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: sendTimeoutMs });
    const sampled = new TraceIdRatioBasedSampler(sampleRatio);
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'logbook',
        'service.version': productVersion,
        'service.instance.id': `${hostname()}:${process.pid}`,
      }),
      // Clients may send any trace, so they must not decide that it is recorded.
      sampler: new ParentBasedSampler({
        root: sampled,
        remoteParentSampled: sampled,
        remoteParentNotSampled: new AlwaysOffSampler(),
      }),
      spanLimits: { attributeValueLengthLimit: maxValueLength },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: reportingExporter(exporter, log),
          maxQueueSize: maxWaitingSpans,
          maxExportBatchSize: maxSpansPerRequest,
          scheduledDelayMillis: sendEveryMs,
          exportTimeoutMillis: sendTimeoutMs,
        }),
      ],
    });
    this.tracer = this.provider.getTracer('logbook', productVersion);
  }

  startRequest(headers: Carrier): RequestSpan {
    const parent = this.propagator.extract(ROOT_CONTEXT, headers, {
      keys: (carrier) => Object.keys(carrier),
      get: (carrier, key) => carrier[key] as string | string[] | undefined,
    });
    const span = this.tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
    const context = trace.setSpan(parent, span);
    return {
      run: (work) => this.contexts.run(context, work),
      end(name, attributes, isFailure) {
        span.updateName(name);
        span.setAttributes(attributes);
        if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
    const parent = this.contexts.getStore();
    if (!parent) return work();
    return this.record(this.tracer.startSpan(name, {}, parent), parent, work);
  }

  inTrace<T>(name: string, attributes: SpanAttributes, causes: readonly string[], work: () => Promise<T>): Promise<T> {
    const parent = this.contexts.getStore() ?? ROOT_CONTEXT;
    const noted = new Set(causes.map((cause) => this.causes.get(cause)).filter((context) => context !== undefined));
    const links = [...noted].map((context) => ({ context }));
    const span = this.tracer.startSpan(name, { kind: SpanKind.PRODUCER, attributes, links }, parent);
    return this.record(span, parent, work);
  }

  noteCauses(): (caused: string) => void {
    const context = this.contexts.getStore();
    const cause = context && trace.getSpanContext(context);
    if (!cause || (cause.traceFlags & TraceFlags.SAMPLED) === 0) return () => undefined;
    return (caused) => this.causes.set(caused, cause);
  }

  outgoingHeaders(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    const context = this.contexts.getStore();
    if (context) {
      this.propagator.inject(context, headers, {
        set: (carrier, key, value) => {
          carrier[key] = value;
        },
      });
    }
    return headers;
  }

  /** Sends the waiting spans, for a limited time. */
  async stop(): Promise<void> {
    await withTimeout(stopTimeoutMs, () => this.provider.shutdown()).catch(() => undefined);
  }

  private async record<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await this.contexts.run(trace.setSpan(parent, span), work);
    } catch (error) {
      // The message is not recorded, because it may contain text of a user.
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}
