import type { FastifyInstance } from 'fastify';
import { errorBody } from '../../http/reply/error-body.js';
import type { Drain } from '../../kernel/drain.js';
import type { HealthCheck, HealthSource } from '../../kernel/health.js';
import type { Integrity } from '../../kernel/integrity.js';
import { counted } from '../../kernel/text.js';
import type { SearchIndex } from '../../search/search-index.port.js';

export interface ReadinessDeps {
  readonly storage: HealthSource;
  readonly blobs: HealthSource;
  readonly searchIndex: Pick<SearchIndex, 'status'>;
  readonly integrity: Integrity;
  readonly drain: Drain;
  /** Other sources of health checks, such as scheduled backups. */
  readonly watched: readonly HealthSource[];
}

/**
 * Registers the health checks for load balancers and monitoring. `/healthz`: the process is alive; `/readyz`: the
 * service can store entries.
 */
export async function readinessRoutes(app: FastifyInstance, deps: ReadinessDeps): Promise<void> {
  // The checks are not queued, because a monitor may share its address with a client that sends too many requests.
  const hidden = { schema: { hide: true }, config: { cost: 'none' } } as const;
  app.get('/healthz', hidden, async () => ({ status: 'ok' }));
  app.get('/readyz', hidden, async (request, reply) => {
    const checks = await runChecks(deps);
    const failed = checks.find(({ status }) => status === 'failed');
    const body = {
      checks: Object.fromEntries(checks.map(({ name, details, ...rest }) => [name, { ...rest, ...details }])),
    };
    reply.header('cache-control', 'no-store');
    if (!failed) return { status: checks.every(({ status }) => status === 'ok') ? 'ready' : 'degraded', ...body };
    const message = `The service is not ready: ${failed.message}`;
    const error = errorBody({ status: 503, code: 'service.not-ready', message }, request.url, request.id);
    return reply.code(503).send({ ...error, ...body });
  });
}

async function runChecks(deps: ReadinessDeps): Promise<HealthCheck[]> {
  const { storage, blobs, watched, searchIndex, integrity, drain } = deps;
  const sources = [storage, blobs, ...watched].map((source) => source.checkHealth());
  const [index, ...found] = await Promise.all([checkSearchIndex(searchIndex), ...sources]);
  return [...checkDrain(drain), ...found.flat(), index, checkIntegrity(integrity)];
}

/** Returns a health check only while the service is stopping. */
function checkDrain(drain: Drain): HealthCheck[] {
  if (!drain.isDraining) return [];
  return [{ name: 'drain', status: 'failed', message: 'It is stopping; send requests to another node.' }];
}

async function checkSearchIndex(searchIndex: Pick<SearchIndex, 'status'>): Promise<HealthCheck> {
  try {
    const { status, unindexedWrites, isReady = true } = await searchIndex.status();
    const isConnected = status === 'Connected';
    return {
      name: 'searchIndex',
      status: isConnected ? 'ok' : isReady ? 'warning' : 'failed',
      message: isConnected
        ? `${counted(unindexedWrites, 'write')} not yet in the index; searches still find everything.`
        : status,
      details: { unindexedWrites },
    };
  } catch {
    return { name: 'searchIndex', status: 'warning', message: 'The state of the search index cannot be read.' };
  }
}

function checkIntegrity(integrity: Integrity): HealthCheck {
  const damaged = integrity.list().filter(([, count]) => count > 0);
  const found = damaged.map(([kind, count]) => `${kind}: ${count}`).join(', ');
  return {
    name: 'integrity',
    status: damaged.length === 0 ? 'ok' : 'warning',
    message:
      damaged.length === 0
        ? 'No damaged data are known.'
        : `Damaged data are known (${found}). The log of the service says which, and what to do.`,
    details: Object.fromEntries(integrity.list()),
  };
}
