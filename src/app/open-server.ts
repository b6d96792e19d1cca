import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { createRequestAudit } from '../api/access/audit-request.js';
import { authorizeLogbookWrites } from '../api/access/authorize-logbook-writes.js';
import { authorizeRequests } from '../api/access/authorize-request.js';
import { costOf } from '../api/access/cost-of-route.js';
import { redirectToPages } from '../api/access/redirect-to-page.js';
import { requestCredentials } from '../api/access/session-cookie.js';
import type { AdmissionLimits, HttpOptions, ListenerOptions } from '../config/service-options.js';
import { Admission } from '../http/admission/admission.js';
import { admitRequests } from '../http/admission/admit-requests.js';
import { loadTlsIdentity, loadVersionedTls } from '../http/connections/tls-identity.js';
import { TlsReload } from '../http/connections/tls-reload.js';
import { type Listening, listen } from '../http/listeners.js';
import type { RequestMetrics } from '../http/metrics.js';
import { refuseWithoutSpace } from '../http/request/refuse-without-space.js';
import { SlowRequests } from '../http/request/slow-requests.js';
import { buildServer } from '../http/server.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { Tracing } from '../kernel/tracing.js';
import type { CleanupStack } from './cleanup-stack.js';
import type { SpaceGuard } from './observe/space-guard.js';
import type { Auth } from './open-auth.js';
import type { Stores } from './open-storage.js';

interface ServerParts {
  readonly auth: Auth;
  readonly stores: Pick<Stores, 'searchIndex'>;
  readonly space: Pick<SpaceGuard, 'requireSpace'>;
  readonly metrics: RequestMetrics;
  readonly tracing: Tracing;
  readonly log: Logger;
}

/** Paths below the root path whose responses contain secrets, or data of one user. */
const privatePaths = ['login', 'logout', 'user', 'me', 'sessions', 'tokens', 'oidc', 'drafts', 'audit', 'subscribers'];

/** Builds the HTTP application with access control and auditing, but without routes. It does not listen yet. */
export async function openServer(
  options: HttpOptions,
  limits: AdmissionLimits,
  { auth, stores, space, metrics, tracing, log }: ServerParts,
  cleanup: CleanupStack,
): Promise<FastifyInstance> {
  const { rootPath, rootPathAliases, corsOrigins, requireSignInForReads, requireTlsForWrites } = options;
  const { permissions, authenticator, audit } = auth;
  const requestAudit = createRequestAudit({ rootPath, audit: (event) => audit.record(event) });
  const admission = new Admission({
    ...limits,
    maxJsonBytes: options.maxEntryBytes,
    indexed: () => stores.searchIndex.waitUntilIndexed(),
    userNameOf: (request) => userNameOf(request, auth),
  });
  const recordWait = metrics.durations(
    'class',
    'logbook_http_request_wait_duration_seconds',
    'For how long requests waited for their turn, in seconds, by the cost of the request, see Fairness.',
  );
  const app = await buildServer({
    rootPath,
    rootPathAliases,
    maxJsonBytes: options.maxEntryBytes,
    maxRequestBytes: options.maxRequestBytes,
    admission,
    corsOrigins,
    logger: log,
    metrics,
    trustedProxies: options.trustedProxies,
    uncompressedPaths: privatePaths.map((path) => `${rootPath}/${path}`),
    userNameOf: (request) => request.context.principal?.userName,
    tracing,
    slowRequests: new SlowRequests({ thresholdMs: options.slowRequestMs, count: () => metrics.recordSlow() }),
    auditAborted: requestAudit.onAborted,
    beforeRoutes: (routes) => {
      redirectToPages(routes);
      authorizeRequests(routes, {
        rootPath,
        corsOrigins,
        requireSignInForReads,
        requireTlsForWrites,
        permissions,
        identify: (request) => authenticator.identify(requestCredentials(request)),
      });
      refuseWithoutSpace(routes, costOf, () => space.requireSpace());
      authorizeLogbookWrites(routes, permissions);
      admitRequests(routes, admission, costOf, recordWait);
      requestAudit.watch(routes);
    },
  });
  return cleanup.use(app);
}

/**
 * Returns the name of the signed-in user, even if the request needs no sign-in: people who share an address then do not
 * wait for each other.
 */
function userNameOf(
  request: FastifyRequest,
  { authenticator }: Auth,
): string | undefined | Promise<string | undefined> {
  if (request.context.principal) return request.context.principal.userName;
  const credentials = requestCredentials(request);
  // The user of an `Authorization` header counts as unknown, because checking a password takes long.
  if (credentials.sessionSecret === undefined || credentials.authorization !== undefined) return undefined;
  return authenticator.identifyWithoutRenewal(credentials).then(
    (principal) => principal?.userName,
    () => undefined,
  );
}

/**
 * Checks the certificate before the start creates anything.
 * @throws ConfigurationError when the configured certificate cannot be served
 */
export async function checkTlsFiles({ tls, httpsPort }: ListenerOptions): Promise<void> {
  if (httpsPort !== 'off' && tls.kind !== 'self-signed') await loadTlsIdentity(tls);
}

/** Opens the listeners, and reloads the certificate when its files change. */
export async function openListeners(
  app: FastifyInstance,
  { tls, ...options }: ListenerOptions,
  { jobs, log }: { readonly jobs: JobRegistry; readonly log: Log },
  cleanup: CleanupStack,
): Promise<{ listening: Listening; tlsReload: TlsReload | undefined }> {
  if (options.httpsPort === 'off') {
    return { listening: await listen(app, { ...options, tls: undefined }), tlsReload: undefined };
  }
  const { identity, version } = await loadVersionedTls(tls);
  const listening = await listen(app, { ...options, tls: identity });
  const tlsReload = new TlsReload(listening, tls, version, log.child({ part: 'tls' }), jobs);
  cleanup.defer(() => tlsReload.stop());
  return { listening, tlsReload };
}
