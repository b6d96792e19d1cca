import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DeviceSources } from '../../packages/control-system/device-sources.js';
import { isSecureTransport } from '../api/access/authorize-request.js';
import { requestCredentials } from '../api/access/session-cookie.js';
import { accessRulesRoutes } from '../api/admin/access-rules.routes.js';
import { auditRoutes } from '../api/admin/audit.routes.js';
import { subscribersRoutes } from '../api/admin/subscribers.routes.js';
import { deviceSignInRoutes } from '../api/auth/device-sign-in.routes.js';
import { oidcRoutes } from '../api/auth/oidc.routes.js';
import { sessionRoutes } from '../api/auth/sessions.routes.js';
import { signInRoutes } from '../api/auth/sign-in.routes.js';
import { tokenRoutes } from '../api/auth/tokens.routes.js';
import { catalogRoutes } from '../api/catalog/catalog.routes.js';
import { deviceRoutes } from '../api/devices/device.routes.js';
import { snapshotRoutes } from '../api/devices/snapshot.routes.js';
import { draftFileRoutes } from '../api/drafts/draft-files.routes.js';
import { draftRoutes } from '../api/drafts/drafts.routes.js';
import { attachmentRoutes } from '../api/entries/attachment.routes.js';
import { entryRoutes } from '../api/entries/entry.routes.js';
import { entryFormRoutes } from '../api/entries/entry-form.routes.js';
import type { MultipartLimits } from '../api/entries/multipart-form.js';
import { redactionRoutes } from '../api/entries/redaction.routes.js';
import { runRoutes } from '../api/entries/run.routes.js';
import { templateRoutes } from '../api/entries/template.routes.js';
import { thumbnailRoutes } from '../api/entries/thumbnail.routes.js';
import { changeStreamRoutes } from '../api/live/change-stream.routes.js';
import { webSocketRoutes } from '../api/live/web-socket.routes.js';
import { deliveryRoutes } from '../api/me/delivery.routes.js';
import { inboxRoutes } from '../api/me/inbox.routes.js';
import { meRoutes } from '../api/me/me.routes.js';
import { searchesRoutes } from '../api/me/searches.routes.js';
import { settingsRoutes } from '../api/me/settings.routes.js';
import { unsubscribeRoutes } from '../api/me/unsubscribe.routes.js';
import { watchRoutes } from '../api/me/watches.routes.js';
import { facetsRoutes } from '../api/search/facets.routes.js';
import { rssRoutes } from '../api/search/rss.routes.js';
import { searchRoutes } from '../api/search/search.routes.js';
import { followSearchPositions } from '../api/search/search-position.js';
import { similarRoutes } from '../api/search/similar.routes.js';
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
import type { DeviceNames } from '../entries/device-names.js';
import { GrowingRuns } from '../entries/growing-runs.js';
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
  /** Undefined when no source of the control system is configured. */
  readonly devices: DeviceSources | undefined;
  readonly deviceNames: DeviceNames;
}

/** Registers every route of the service. Each function of `api/` receives only the parts that its interface names. */
export async function registerRoutes(app: FastifyInstance, options: ServiceOptions, parts: Parts): Promise<void> {
  const { stores, metrics, integrity, drain, watched } = parts;
  const { storage, blobs, searchIndex, positions } = stores;
  const { rootPath } = options.http;
  if (positions) followSearchPositions(app, positions);
  const belowRootPath = async (api: FastifyInstance) => {
    await registerEntries(api, options, parts);
    await registerSearches(api, options, parts);
    await registerLive(api, options, parts);
    await registerContents(api, options, parts);
    await registerAccounts(api, options, parts);
    await registerAdministration(api, options, parts);
    await registerOidc(api, options, parts);
    await registerService(api, options, parts);
  };
  await app.register(belowRootPath, { prefix: rootPath });
  await app.register(async (site) => {
    await siteRoutes(site, { metrics, rootPath, webClientDir: join(productDir, 'dist', 'web') });
    await readinessRoutes(site, { storage, blobs, searchIndex, integrity, drain, watched });
    await registerAgents(site, options, parts);
  });
}

async function registerAgents(site: FastifyInstance, options: ServiceOptions, { clock }: Parts): Promise<void> {
  if (!options.mcp) return;
  const { rootPath, publicUrl, allowedHosts } = options.http;
  const plan = { shifts: options.shifts, zone: options.timeZone };
  // Few services offer agents access, and the modules take memory.
  const { mcpRoutes } = await import('../api/agents/mcp.routes.js');
  await mcpRoutes(site, { rootPath, publicUrl, allowedHosts, clock, plan });
}

function multipartLimits({ maxFileBytes, maxRequestBytes, maxEntryBytes }: ServiceOptions['http']): MultipartLimits {
  return { maxFileBytes, maxRequestBytes, maxFieldBytes: maxEntryBytes, idleMs: idleBodyMs };
}

async function registerEntries(api: FastifyInstance, options: ServiceOptions, parts: Parts) {
  const { http, catalogLimits } = options;
  const { stores, auth, renderers, plugins: extensions, clock, deviceNames } = parts;
  const { storage, blobs } = stores;
  const { permissions } = auth;
  const { texts, thumbnails } = renderers;
  const entries = { storage, blobs, texts, clock, permissions, extensions, deviceNames };
  const forms = { ...entries, multipart: multipartLimits(http) };
  await catalogRoutes(api, { storage, clock, catalogLimits, deviceNames });
  await deviceRoutes(api, { sources: parts.devices, deviceNames, clock, zone: options.timeZone });
  await snapshotRoutes(api, { sources: parts.devices, deviceNames, entries: storage.committed.entries, permissions });
  await entryRoutes(api, entries);
  await entryFormRoutes(api, forms);
  const growingRuns = new GrowingRuns();
  await runRoutes(api, { ...forms, growingRuns });
  await redactionRoutes(api, { storage, blobs, clock, growingRuns });
  await attachmentRoutes(api, forms);
  await thumbnailRoutes(api, { storage, permissions, thumbnails });
}

async function registerSearches(api: FastifyInstance, { http, timeZone: zone }: ServiceOptions, parts: Parts) {
  const { stores, auth, renderers, clock } = parts;
  const { entries, feed: changes } = stores.storage.committed;
  const { publicUrl, allowedHosts } = http;
  const search = { searchIndex: stores.searchIndex, entries, permissions: auth.permissions, clock, zone };
  await searchRoutes(api, search);
  await threadRoutes(api, search);
  await similarRoutes(api, search);
  await facetsRoutes(api, search);
  await suggestRoutes(api, search);
  await rssRoutes(api, { ...search, changes, feeds: renderers.feeds, publicUrl, allowedHosts });
}

async function registerLive(api: FastifyInstance, { http, timeZone: zone }: ServiceOptions, parts: Parts) {
  const { stores, auth, notifications, clock } = parts;
  const { storage, searchIndex } = stores;
  const { authenticator, permissions } = auth;
  const { feed, streams, webSockets } = notifications;
  const { requireSignInForReads, requireTlsForWrites } = http;
  const readers = { feed, authenticator, requestCredentials, permissions };
  const mayTakePassword = (request: FastifyRequest) => !requireTlsForWrites || isSecureTransport(request);
  await changeStreamRoutes(api, { ...readers, streams, storage, searchIndex, clock, zone });
  await webSocketRoutes(api, { ...readers, webSockets, requireSignInForReads, mayTakePassword });
}

async function registerContents(api: FastifyInstance, { http, templateLimits }: ServiceOptions, parts: Parts) {
  const { stores, auth, renderers, clock } = parts;
  const { storage, blobs } = stores;
  const { maxFileBytes, maxDraftFileBytes } = http;
  const files = { blobs, maxFileBytes, maxDraftFileBytes, joins: new Map<string, Promise<DraftFile>>() };
  const { permissions } = auth;
  await templateRoutes(api, { storage, texts: renderers.texts, clock, permissions, templateLimits });
  await draftRoutes(api, { storage, clock });
  await draftFileRoutes(api, { ...files, storage, clock, multipart: multipartLimits(http) });
}

async function registerAccounts(api: FastifyInstance, { http, auth: { providers } }: ServiceOptions, parts: Parts) {
  const { storage, searchIndex } = parts.stores;
  const { clock } = parts;
  const { permissions, sessions, tokens, authenticator, browserSignIn, deviceSignIns } = parts.auth;
  const { rootPath, publicUrl, allowedHosts, sessionCookieSameSite: sameSite, corsOrigins } = http;
  const checkAdmin = (principal: Principal) => permissions.check(principal, 'admin');
  const address = { rootPath, publicUrl, allowedHosts };
  const hasPasswordSignIn = providers.length > 0;
  const isTrial = hasPasswordSignIn && !browserSignIn && providers.every(({ scheme }) => scheme === 'inMemory');
  await signInRoutes(api, { ...address, browserSignIn, authenticator, sameSite, corsOrigins });
  await sessionRoutes(api, { sessions, checkAdmin });
  await tokenRoutes(api, { authenticator, tokens, checkAdmin });
  await deviceSignInRoutes(api, { deviceSignIns, tokens });
  await meRoutes(api, { storage, authenticator, permissions, hasPasswordSignIn, isTrial, browserSignIn });
  await settingsRoutes(api, { storage, clock });
  await searchesRoutes(api, { permissions, storage, clock });
  await inboxRoutes(api, { storage, searchIndex, permissions });
  await watchRoutes(api, { storage, searchIndex, permissions, authenticator, clock });
  const { deliveries } = parts.notifications;
  await deliveryRoutes(api, { storage, authenticator, deliveries });
  await unsubscribeRoutes(api, { storage, deliveries });
}

async function registerAdministration(api: FastifyInstance, { http }: ServiceOptions, parts: Parts) {
  const { permissions, audit } = parts.auth;
  await auditRoutes(api, { audit });
  await accessRulesRoutes(api, { permissions, requireSignInForReads: http.requireSignInForReads });
  await subscribersRoutes(api, { subscribers: parts.notifications.subscribers });
}

async function registerOidc(api: FastifyInstance, { http }: ServiceOptions, parts: Parts) {
  const { authenticator, browserSignIn } = parts.auth;
  if (!browserSignIn) return;
  const { signInState } = parts.stores.storage;
  const { rootPath, publicUrl, allowedHosts, sessionCookieSameSite: sameSite } = http;
  const address = { rootPath, publicUrl, allowedHosts };
  await oidcRoutes(api, { ...address, authenticator, browserSignIn, sameSite, signInState });
}

async function registerService(api: FastifyInstance, { http, timeZone: zone, shifts }: ServiceOptions, parts: Parts) {
  const { storage, searchIndex, blobs } = parts.stores;
  const { permissions } = parts.auth;
  const { maxFileBytes, maxRequestBytes, maxEntryBytes, maxDraftFileBytes } = http;
  const limits = { maxFileBytes, maxRequestBytes, maxEntryBytes, maxDraftFileBytes };
  await serviceRoutes(api, { storage, searchIndex, blobs, maxFileBytes, maxRequestBytes });
  const deviceSources = parts.devices?.kinds ?? [];
  await bootstrapRoutes(api, { storage, permissions, zone, shifts, deviceSources, ...limits });
}
