import type { Logger } from 'pino';
import type { ServiceOptions } from '../../config/service-options.js';
import type { RequestMetrics } from '../../http/metrics.js';
import type { TracingOptions } from '../../integrations/opentelemetry/tracing-options.js';
import type { Log } from '../../kernel/log.js';
import { noTracing, type Tracing } from '../../kernel/tracing.js';
import type { CleanupStack } from '../cleanup-stack.js';
import { SpaceGuard } from './space-guard.js';

/** Monitoring of the service. */
export interface Observers {
  readonly space: SpaceGuard;
  readonly tracing: Tracing;
  readonly metrics: RequestMetrics;
  readonly log: Logger;
}

/** @throws Error that names what is missing */
export async function openObservers(
  options: Pick<ServiceOptions, 'storage' | 'minFreeBytes' | 'tracing'>,
  { metrics, log }: Pick<Observers, 'metrics' | 'log'>,
  cleanup: CleanupStack,
): Promise<Observers> {
  const tracing = await openTracing(options.tracing, log, cleanup);
  return { space: new SpaceGuard(options, { metrics, log }), tracing, metrics, log };
}

/**
 * Starts to record traces if that is configured.
 * @throws Error that names what is missing
 */
async function openTracing(options: TracingOptions | undefined, log: Log, cleanup: CleanupStack): Promise<Tracing> {
  if (!options) return noTracing;
  // The SDK takes time and memory, so it is only loaded when needed.
  const { OpenTelemetryTracing } = await import('../../integrations/opentelemetry/opentelemetry-tracing.js').catch(
    (error: unknown) => {
      throw new Error(
        'tracingEndpoint is set, but the packages of OpenTelemetry are not installed. Install the program with its optional dependencies (npm ci without --omit=optional), or remove the setting.',
        { cause: error },
      );
    },
  );
  const tracing = new OpenTelemetryTracing(options, log.child({ part: 'tracing' }));
  cleanup.defer(() => tracing.stop());
  return tracing;
}
