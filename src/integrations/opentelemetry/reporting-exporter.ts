import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../../kernel/log.js';

/** `ExportResultCode.SUCCESS` of the SDK. */
const success = 0;

/** Returns an exporter that logs when sending spans begins to fail, and when it succeeds again. */
export function reportingExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== success;
        if (hasFailed && !isFailing) {
          log.warn({ reason: result.error?.message.slice(0, 500) }, 'traces could not be sent; they are dropped');
        }
        if (!hasFailed && isFailing) log.info({}, 'traces are sent again');
        isFailing = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
