import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSecureTransport } from '../api/access/authorize-request.js';
import { requestCredentials } from '../api/access/session-cookie.js';
import { accessRulesRoutes } from '../api/admin/access-rules.routes.js';
import { auditRoutes } from '../api/admin/audit.routes.js';
import { subscribersRoutes } from '../api/admin/subscribers.routes.js';
import { oidcRoutes } from '../api/auth/oidc.routes.js';
import { sessionRoutes } from '../api/auth/sessions.routes.js';
import { signInRoutes } from '../api/auth/sign-in.routes.js';
import { tokenRoutes } from '../api/auth/tokens.routes.js';
import { catalogRoutes } from '../api/catalog/catalog.routes.js';
import { draftFileRoutes } from '../api/drafts/draft-files.routes.js';
import { draftRoutes } from '../api/drafts/drafts.routes.js';
import { attachmentRoutes } from '../api/entries/attachment.routes.js';
import { entryRoutes } from '../api/entries/entry.routes.js';
import { entryFormRoutes } from '../api/entries/entry-form.routes.js';
import { redactionRoutes } from '../api/entries/redaction.routes.js';
import { templateRoutes } from '../api/entries/template.routes.js';
import { thumbnailRoutes } from '../api/entries/thumbnail.routes.js';
import { changeStreamRoutes } from '../api/live/change-stream.routes.js';
import { webSocketRoutes } from '../api/live/web-socket.routes.js';
import { meRoutes } from '../api/me/me.routes.js';
import { searchesRoutes } from '../api/me/searches.routes.js';
import { settingsRoutes } from '../api/me/settings.routes.js';
import { facetsRoutes } from '../api/search/facets.routes.js';
import { rssRoutes } from '../api/search/rss.routes.js';
import { searchRoutes } from '../api/search/search.routes.js';
import { followSearchPositions } from '../api/search/search-position.js';
import { suggestRoutes } from '../api/search/suggest.routes.js';
import { threadRoutes } from '../api/search/thread.routes.js';
import { bootstrapRoutes } from '../api/service/bootstrap.routes.js';
import { readinessRoutes } from '../api/service/readiness.routes.js';
import { serviceRoutes } from '../api/service/service.routes.js';
import { siteRoutes } from '../api/service/site.routes.js';
import type { Thumbnails } from '../attachments/thumbnails.js';
import type { Principal } from '../auth/principal.js';
import type { ServiceOptions } from '../config/service-options.js';
import type { DraftFile } from '../drafts/draft.js';
import type { TextRenderer } from '../entries/text-renderer.js';
import type { RequestMetrics } from '../http/metrics.js';
import { idleBodyMs } from '../http/request/read-bodies.js';
import type { Clock } from '../kernel/clock.js';
import type { Drain } from '../kernel/drain.js';
import type { HealthSource } from '../kernel/health.js';
import type { Integrity } from '../kernel/integrity.js';
import { productDir } from '../kernel/product.js';
import type { PluginHost } from '../plugins/plugin-host.js';
import type { RssRenderer } from '../search/rss-renderer.js';
import type { Auth } from './open-auth.js';
import type { Notifications } from './open-notifications.js';
import type { Stores } from './open-storage.js';

/** Converters of stored data into other forms. */
export interface Renderers {
  readonly texts: TextRenderer;
  readonly feeds: RssRenderer;
  readonly thumbnails: Thumbnails;
}

interface Parts {
  readonly stores: Stores;
  readonly auth: Auth;
  readonly notifications: Notifications;
  readonly renderers: Renderers;
  readonly plugins: PluginHost;
  readonly metrics: RequestMetrics;
  readonly integrity: Integrity;
  readonly clock: Clock;
  readonly drain: Drain;
  /** Health sources other than the stores. */
  readonly watched: readonly HealthSource[];
}

/** Registers every route of the service. */
export async function registerRoutes(app: FastifyInstance, options: ServiceOptions, parts: Parts): Promise<void> {
  const deps = toRouteDeps(options, parts);
  if (deps.positions) followSearchPositions(app, deps.positions);
  const { browserSignIn } = parts.auth;
  const belowRootPath = async (api: FastifyInstance) => {
    await catalogRoutes(api, deps);
    await entryRoutes(api, deps);
    await entryFormRoutes(api, deps);
    await attachmentRoutes(api, deps);
    await thumbnailRoutes(api, deps);
    await searchRoutes(api, deps);
    await threadRoutes(api, deps);
    await facetsRoutes(api, deps);
    await suggestRoutes(api, deps);
    await rssRoutes(api, deps);
    await changeStreamRoutes(api, deps);
    await webSocketRoutes(api, deps);
    await templateRoutes(api, deps);
    await draftRoutes(api, deps);
    await draftFileRoutes(api, deps);
    await signInRoutes(api, deps);
    await sessionRoutes(api, deps);
    await tokenRoutes(api, deps);
    await meRoutes(api, deps);
    await settingsRoutes(api, deps);
    await searchesRoutes(api, deps);
    await auditRoutes(api, deps);
    await accessRulesRoutes(api, deps);
    await redactionRoutes(api, deps);
    await subscribersRoutes(api, deps);
    if (browserSignIn) await oidcRoutes(api, { ...deps, browserSignIn, signInState: parts.stores.storage.signInState });
    await serviceRoutes(api, deps);
    await bootstrapRoutes(api, deps);
  };
  await app.register(belowRootPath, { prefix: deps.rootPath });
  await app.register(async (site) => {
    await siteRoutes(site, deps);
    await readinessRoutes(site, deps);
  });
}

/** Everything that routes use; each of them declares what it takes. */
function toRouteDeps(options: ServiceOptions, parts: Parts) {
  const { http, timeZone, shifts, catalogLimits, templateLimits } = options;
  const { stores, auth, notifications, renderers, plugins, metrics, integrity, clock, drain, watched } = parts;
  const { maxFileBytes, maxRequestBytes, maxEntryBytes, maxDraftFileBytes, requireTlsForWrites } = http;
  const { entries, feed: changes } = stores.storage.committed;
  return {
    ...stores,
    ...auth,
    ...notifications,
    ...renderers,
    metrics,
    integrity,
    clock,
    drain,
    watched,
    entries,
    changes,
    extensions: plugins,
    zone: timeZone,
    shifts,
    catalogLimits,
    templateLimits,
    rootPath: http.rootPath,
    webClientDir: join(productDir, 'dist', 'web'),
    publicUrl: http.publicUrl,
    allowedHosts: http.allowedHosts,
    sameSite: http.sessionCookieSameSite,
    corsOrigins: http.corsOrigins,
    requireSignInForReads: http.requireSignInForReads,
    maxFileBytes,
    maxRequestBytes,
    maxEntryBytes,
    maxDraftFileBytes,
    joins: new Map<string, Promise<DraftFile>>(),
    multipart: { maxFileBytes, maxRequestBytes, maxFieldBytes: maxEntryBytes, idleMs: idleBodyMs },
    hasPasswordSignIn: options.auth.providers.length > 0,
    requestCredentials,
    mayTakePassword: (request: FastifyRequest) => !requireTlsForWrites || isSecureTransport(request),
    checkAdmin: (principal: Principal) => auth.permissions.check(principal, 'admin'),
  };
}
