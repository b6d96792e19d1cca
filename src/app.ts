import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { readAttachmentTexts } from './attachments/read-texts.js';
import { sweepUnclaimedFiles } from './attachments/unclaimed-files.js';
import { accountRoutes } from './auth/account.routes.js';
import { Accounts } from './auth/accounts.js';
import { ApiTokens } from './auth/api-tokens.js';
import { auditRoutes } from './auth/audit.routes.js';
import { AuditLog } from './auth/audit-log.js';
import { authRoutes } from './auth/auth.routes.js';
import { Authenticator } from './auth/authenticator.js';
import { LogbookAccess } from './auth/logbook-access.js';
import { oidcRoutes } from './auth/oidc.routes.js';
import { Permissions } from './auth/permission.js';
import { RememberedSignIns } from './auth/remembered-sign-ins.js';
import { Sessions } from './auth/sessions.js';
import { SignInThrottle } from './auth/sign-in-throttle.js';
import { catalogRoutes } from './catalog/catalog.routes.js';
import { builtInCatalog, fillEmptyCatalog, readCatalogFile } from './catalog/initial-catalog.js';
import { ConfigProblems, type LoadedConfig } from './config/load-config.js';
import type { Config } from './config/settings.js';
import { configuredFollower } from './configured-follower.js';
import { openFileBlobStore } from './engines/files/file-blob-store.js';
import { OidcSignIn } from './engines/oidc/oidc-sign-in.js';
import { lockDataDir } from './engines/sqlite/lock-data-dir.js';
import { documentsFile, openSqliteStorage, removeSearchIndex } from './engines/sqlite/sqlite-storage.js';
import { entryRoutes } from './entries/entry.routes.js';
import { entryFilesRoutes } from './entries/entry-files.routes.js';
import { TextRenderer } from './entries/text-renderer.js';
import { Followers } from './followers/followers.js';
import { followersRoutes } from './followers/followers.routes.js';
import { type Addresses, listen } from './http/listeners.js';
import { RequestMetrics } from './http/metrics.js';
import { TlsRenewal } from './http/renew-tls.js';
import { buildServer } from './http/server.js';
import { evidenceOf } from './http/session-cookie.js';
import { loadTlsIdentity, type TlsSource } from './http/tls-identity.js';
import { WebSockets } from './http/web-sockets.js';
import { systemClock } from './kernel/clock.js';
import { makeDirectory } from './kernel/make-directory.js';
import { syncDirectory } from './kernel/sync-directory.js';
import { liveRoutes, OpenStreams } from './live/live.routes.js';
import { LiveFeed } from './live/live-feed.js';
import { frameLimits } from './live/stomp-frame.js';
import { loadPlugins } from './plugins/load-plugins.js';
import { Plugins } from './plugins/plugins.js';
import { openProviders } from './providers.js';
import { FeedRenderer } from './search/feed-renderer.js';
import { rssRoutes } from './search/rss.routes.js';
import { searchRoutes } from './search/search.routes.js';
import type { SearchIndex } from './search/search-index.port.js';
import { foldCase } from './search/words.js';
import { serviceRoutes } from './service/service.routes.js';
import { siteRoutes } from './service/site.routes.js';
import type { Storage } from './storage/storage.port.js';
import { templateRoutes } from './templates/template.routes.js';

export interface RunningService {
  readonly addresses: Addresses;
  /** Absolute path of the data directory. */
  readonly dataDir: string;
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
  /** Looks at once whether there is a new certificate, instead of within seconds. */
  renewCertificate(): Promise<void>;
  /** Finishes what is in flight, refuses what is new, and resolves when everything is on the disk. */
  stop(): Promise<void>;
}

const trustedAtStart = 5_000;
const idleUploadMs = 30_000;
const oidcTimeoutMs = 10_000;

/**
 * Puts the service together and starts it; the one place that chooses engines.
 * @throws Error for people when it cannot start; then nothing of it keeps running
 */
export async function startService(
  { config, schemes }: Pick<LoadedConfig, 'config' | 'schemes'>,
  dataDir: string,
  logger: FastifyBaseLogger,
): Promise<RunningService> {
  await makeDirectory(dataDir);
  const closers: (() => Promise<void> | void)[] = [];
  const closeAll = async () => {
    let problem: unknown;
    for (const close of closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        problem = error;
      }
    }
    if (problem !== undefined) throw problem;
  };
  try {
    closers.push(await lock(dataDir));
    const extensions = await openPlugins(config, logger, closers);
    const { storage, searchIndex } = await openSqliteStorage(dataDir, (message, error) =>
      logger.error({ err: error }, message),
    );
    closers.push(() => storage.close());
    const blobs = await openFileBlobStore(join(dataDir, 'attachments'));
    await syncDirectory(dataDir);
    await syncDirectory(dirname(dataDir));
    const clock = systemClock;
    await fillEmptyCatalog(storage, async () =>
      config.catalogFile === '' ? builtInCatalog : readCatalogFile(config.catalogFile),
    );

    const { rootPath, publicUrl, sessionCookieSameSite: sameSite } = config;
    const followers = await Followers.start(
      {
        storage,
        searchIndex,
        clock,
        zone: config.timeZone,
        linkOf: (entryId) => (publicUrl === '' ? '' : `${publicUrl}${rootPath}/logs/${entryId}`),
        warn: (details, message) => logger.warn(details, message),
      },
      config.followers.map((setting) => configuredFollower(setting, clock)),
    );
    closers.push(() => followers.stop());

    const sweeper = sweepUnclaimedFiles({ blobs, storage, logger });
    closers.push(() => sweeper.stop());

    if (config.searchAttachments) {
      const attachmentTexts = readAttachmentTexts({ blobs, storage, logger });
      closers.push(() => attachmentTexts.stop());
    }

    const texts = new TextRenderer();
    closers.push(() => texts.close());
    const feeds = new FeedRenderer();
    closers.push(() => feeds.close());
    await warnOfUnknownLogbooks(config, storage, logger);
    const permissions = new Permissions(config.permissions, new LogbookAccess(config.logbookAccessFile));
    const audit = new AuditLog(
      {
        storage,
        clock,
        writeLine: (record) => logger.info({ audit: record }, 'audit'),
        onError: (message, error) => logger.error({ err: error }, message),
      },
      config.auditRetention,
    );
    closers.push(() => audit.close());
    const sessions = new Sessions({ storage, clock }, { idleMs: config.sessionTimeout, totalMs: config.sessionMaxAge });
    const tokens = new ApiTokens({ storage, clock });
    const providers = await openProviders(schemes, (message, error) => logger.warn({ err: error }, message));
    for (const provider of providers) closers.push(() => provider.close());
    const throttle = new SignInThrottle(clock);
    // A restart is no reason to take those who were there before for strangers.
    for (const { account, from } of await sessions.list(undefined, trustedAtStart))
      throttle.trust(account.userName, from);
    const authenticator = new Authenticator({
      providers,
      sessions,
      tokens,
      throttle,
      remembered: new RememberedSignIns(config.signInMemory),
      audit,
      accounts: new Accounts(schemeNamesIn(config), groupRoles(config)),
    });
    const browserSignIn = oidcSignIn(config);
    if (browserSignIn) closers.push(() => browserSignIn.close());
    const metrics = new RequestMetrics();
    const app = await buildServer({
      rootPath,
      maxJsonBytes: config.maxEntrySize,
      maxRequestBytes: config.maxRequestSize,
      corsOrigins: config.corsOrigins,
      requireSignInForReads: config.requireSignInForReads,
      logger,
      metrics,
      trustedProxies: config.trustedProxies,
      requireTlsForWrites: config.requireTlsForWrites,
      permissions,
      identify: (request) => authenticator.identify(evidenceOf(request)),
      audit: (event) => audit.record(event),
    });
    closers.push(() => app.close());
    const live = await openLive(config, storage, metrics, logger);
    const multipart = {
      maxFileBytes: config.maxFileSize,
      maxRequestBytes: config.maxRequestSize,
      maxFieldBytes: config.maxEntrySize,
      idleMs: idleUploadMs,
    };
    await app.register(
      async (api) => {
        await catalogRoutes(api, { storage });
        await entryRoutes(api, { storage, blobs, texts, clock, permissions, extensions });
        await entryFilesRoutes(api, { storage, blobs, texts, clock, permissions, extensions, multipart });
        const search = { searchIndex, permissions, clock, zone: config.timeZone };
        await searchRoutes(api, search);
        await rssRoutes(api, { ...search, feeds, changes: storage.committed.feed, rootPath, publicUrl });
        await liveRoutes(api, {
          ...live,
          storage,
          searchIndex,
          authenticator,
          evidenceOf,
          permissions,
          requireSignInForReads: config.requireSignInForReads,
          clock,
          zone: config.timeZone,
        });
        await templateRoutes(api, { storage, texts, clock, permissions });
        await authRoutes(api, { authenticator, sameSite });
        await accountRoutes(api, {
          authenticator,
          sessions,
          tokens,
          checkAdmin: (principal) => permissions.check(principal, 'admin'),
        });
        await auditRoutes(api, { audit });
        await followersRoutes(api, { followers });
        if (browserSignIn) {
          await oidcRoutes(api, { authenticator, browserSignIn, clock, sameSite, rootPath, publicUrl });
        }
        await serviceRoutes(api, {
          storage,
          searchIndex,
          maxFileBytes: config.maxFileSize,
          maxRequestBytes: config.maxRequestSize,
        });
      },
      { prefix: rootPath },
    );
    await app.register((site) => siteRoutes(site, { storage, metrics, rootPath }));
    const certificate = tlsSource(config, dataDir);
    const listening = await listen(app, {
      host: config.host,
      httpPort: config.httpPort,
      httpsPort: config.httpsPort,
      tls: await loadTlsIdentity(certificate),
    });
    const renewal = new TlsRenewal(listening, certificate, logger);
    closers.push(() => renewal.stop());
    const { addresses } = listening;
    return { addresses, dataDir, storage, searchIndex, renewCertificate: () => renewal.look(), stop: closeAll };
  } catch (error) {
    // What it cannot close on the way out matters less than why it goes.
    await closeAll().catch(() => undefined);
    throw error;
  }
}

/**
 * Makes the search index anew from the entries.
 * @throws Error for people when a process uses the data directory, or there is no logbook in it
 */
export async function rebuildSearchIndex(
  dataDir: string,
  logger: FastifyBaseLogger,
  onProgress: (indexed: number, all: number) => void,
): Promise<void> {
  await stat(join(dataDir, documentsFile)).catch(() => {
    throw new Error(`There is no logbook in ${dataDir}. Choose its data directory.`);
  });
  const unlock = await lock(dataDir);
  try {
    removeSearchIndex(dataDir);
    const { storage, searchIndex } = await openSqliteStorage(dataDir, (message, error) =>
      logger.error({ err: error }, message),
    );
    try {
      await searchIndex.caughtUp(onProgress);
    } finally {
      await storage.close();
    }
  } finally {
    await unlock();
  }
}

async function lock(dataDir: string): Promise<() => Promise<void> | void> {
  const unlock = await lockDataDir(dataDir);
  if (unlock) return unlock;
  throw new Error(`Another process is using the data directory ${dataDir}. Stop it, or choose another directory.`);
}

async function openLive(config: Config, storage: Storage, metrics: RequestMetrics, logger: FastifyBaseLogger) {
  const feed = await LiveFeed.start(storage, (message, error) => logger.error({ err: error }, message));
  const webSockets = new WebSockets({
    maxConnections: config.maxLiveConnections,
    // A larger frame is answered with an ERROR frame before its connection is closed; one in larger messages is not.
    maxMessageBytes: 2 * frameLimits.bytes,
    subprotocols: ['v12.stomp', 'v11.stomp', 'v10.stomp'],
  });
  const streams = new OpenStreams(config.maxChangeStreams);
  metrics.gauge('logbook_live_connections', 'Open WebSocket connections.', () => webSockets.count);
  metrics.gauge('logbook_change_streams', 'Open streams of changes.', () => streams.count);
  return { feed, webSockets, streams };
}

/** A name that is misspelt in the file would leave its logbook open. */
async function warnOfUnknownLogbooks(config: Config, storage: Storage, logger: FastifyBaseLogger): Promise<void> {
  const known = new Set((await storage.committed.catalog.list('logbooks')).map(({ name }) => foldCase(name)));
  for (const { logbook } of config.logbookAccessFile) {
    if (!known.has(foldCase(logbook))) logger.warn({ logbook }, 'logbookAccessFile names a logbook that is not there');
  }
}

function schemeNamesIn({ authenticationProviders, oidcIssuer }: Config): string[] {
  return oidcIssuer === '' ? authenticationProviders : [...authenticationProviders, 'oidc'];
}

async function openPlugins(
  { plugins: modules, pluginSettings, pluginDirs, maxEntrySize }: Config,
  logger: FastifyBaseLogger,
  closers: (() => Promise<void> | void)[],
): Promise<Plugins> {
  const { plugins, problems } = await loadPlugins(modules, pluginSettings, pluginDirs, logger);
  const extensions = new Plugins(plugins, logger, maxEntrySize);
  closers.push(() => extensions.close());
  if (problems.length > 0) throw new ConfigProblems(problems);
  return extensions;
}

function groupRoles(config: Config) {
  const { adminGroups, logGroups, logbookGroups, tagGroups, propertyGroups } = config;
  return { ADMIN: adminGroups, LOG: logGroups, LOGBOOK: logbookGroups, TAG: tagGroups, PROPERTY: propertyGroups };
}

function oidcSignIn(config: Config): OidcSignIn | undefined {
  if (config.oidcIssuer === '') return undefined;
  return new OidcSignIn({
    issuer: config.oidcIssuer,
    clientId: config.oidcClientId,
    clientSecret: config.oidcClientSecret,
    scope: config.oidcScope,
    userClaim: config.oidcUserClaim,
    groupsClaim: config.oidcGroupsClaim,
    timeoutMs: oidcTimeoutMs,
  });
}

function tlsSource(config: Config, dataDir: string): TlsSource {
  if (config.tlsPkcs12File !== '') {
    return { kind: 'pkcs12', file: config.tlsPkcs12File, password: config.tlsPkcs12Password };
  }
  if (config.tlsCertificateFile !== '') {
    return { kind: 'pem', certificateFile: config.tlsCertificateFile, keyFile: config.tlsKeyFile };
  }
  return { kind: 'self-signed', dir: join(dataDir, 'tls') };
}
