import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { auditRequests } from '../api/access/audit-request.js';
import { authorizeRequests, isSecureTransport } from '../api/access/authorize-request.js';
import { requestCredentials } from '../api/access/session-cookie.js';
import { auditRoutes } from '../api/admin/audit.routes.js';
import { subscribersRoutes } from '../api/admin/subscribers.routes.js';
import { oidcRoutes } from '../api/auth/oidc.routes.js';
import { sessionRoutes } from '../api/auth/sessions.routes.js';
import { signInRoutes } from '../api/auth/sign-in.routes.js';
import { tokenRoutes } from '../api/auth/tokens.routes.js';
import { catalogRoutes } from '../api/catalog/catalog.routes.js';
import { attachmentRoutes } from '../api/entries/attachment.routes.js';
import { entryRoutes } from '../api/entries/entry.routes.js';
import { entryFormRoutes } from '../api/entries/entry-form.routes.js';
import { templateRoutes } from '../api/entries/template.routes.js';
import { changeStreamRoutes } from '../api/live/change-stream.routes.js';
import { webSocketRoutes } from '../api/live/web-socket.routes.js';
import { rssRoutes } from '../api/search/rss.routes.js';
import { searchRoutes } from '../api/search/search.routes.js';
import { serviceRoutes } from '../api/service/service.routes.js';
import { siteRoutes } from '../api/service/site.routes.js';
import { startTextExtraction } from '../attachments/text-extraction-job.js';
import { unreferencedBlobsJob } from '../attachments/unreferenced-blobs-job.js';
import type { Principal } from '../auth/principal.js';
import { defaultCatalog, readCatalogFile, seedCatalog } from '../catalog/seed-catalog.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { Config } from '../config/settings.js';
import { openFileBlobStore } from '../engines/files/file-blob-store.js';
import { lockDataDir } from '../engines/sqlite/data-dir-lock.js';
import { documentsFile, openSqliteStorage, removeSearchIndex } from '../engines/sqlite/sqlite-storage.js';
import type { Storage } from '../engines/storage.port.js';
import { TextRenderer } from '../entries/text-renderer.js';
import { loadTlsIdentity, type TlsSource } from '../http/connections/tls-identity.js';
import { TlsReload } from '../http/connections/tls-reload.js';
import { type Addresses, listen } from '../http/listeners.js';
import { RequestMetrics } from '../http/metrics.js';
import { buildServer } from '../http/server.js';
import { BackgroundJobs } from '../kernel/background-jobs.js';
import { systemClock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import { makeDirectory } from '../kernel/make-directory.js';
import { syncDirectory } from '../kernel/sync-directory.js';
import { RssRenderer } from '../search/rss-renderer.js';
import type { SearchIndex } from '../search/search-index.port.js';
import { CleanupStack } from './cleanup-stack.js';
import { openAuth } from './open-auth.js';
import { openLive, openSubscribers } from './open-notifications.js';
import { openPlugins } from './open-plugins.js';

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

const idleUploadMs = 30_000;

/**
 * Puts the service together and starts it; the one place that chooses engines.
 * @throws Error for people when it cannot start; then nothing of it keeps running
 */
export async function startService(
  loaded: Pick<LoadedConfig, 'config' | 'schemes'>,
  dataDir: string,
  log: Logger,
): Promise<RunningService> {
  const { config } = loaded;
  const jobs = new BackgroundJobs({ log: log.child({ part: 'jobs' }) });
  await makeDirectory(dataDir);
  const cleanup = new CleanupStack();
  try {
    cleanup.push(await lock(dataDir));
    const extensions = await openPlugins(config, log, cleanup);
    const { storage, searchIndex } = await openSqliteStorage({
      dataDir,
      log: log.child({ part: 'sqlite' }),
      jobs,
    });
    cleanup.push(() => storage.close());
    const blobs = await openFileBlobStore(join(dataDir, 'attachments'));
    await syncDirectory(dataDir);
    await syncDirectory(dirname(dataDir));
    const clock = systemClock;
    await seedCatalog(storage, async () =>
      config.initialCatalogFile === '' ? defaultCatalog : readCatalogFile(config.initialCatalogFile),
    );

    const { rootPath, publicUrl, sessionCookieSameSite: sameSite } = config;
    const subscribers = await openSubscribers(config, { storage, searchIndex, clock }, log, cleanup);

    const attachmentLog = log.child({ part: 'attachments' });
    const unreferencedBlobs = jobs.start(unreferencedBlobsJob({ blobs, storage, log: attachmentLog }));
    unreferencedBlobs.trigger();
    cleanup.push(() => unreferencedBlobs.stop());

    if (config.attachmentTextSearch) {
      const extraction = startTextExtraction({ blobs, storage, log: attachmentLog, jobs });
      cleanup.push(() => extraction.stop());
    }

    const texts = new TextRenderer();
    cleanup.push(() => texts.close());
    const feeds = new RssRenderer();
    cleanup.push(() => feeds.close());
    const signIn = await openAuth(loaded, { storage, clock, log, jobs }, cleanup);
    const { permissions, audit, authenticator, browserSignIn } = signIn;
    const metrics = new RequestMetrics();
    // Before the server, so that the feed stops after the streams that wait for it.
    const live = await openLive(config, { storage, jobs, metrics, log }, cleanup);
    const app = await buildServer({
      rootPath,
      maxJsonBytes: config.maxEntrySize,
      maxRequestBytes: config.maxRequestSize,
      corsOrigins: config.corsOrigins,
      logger: log,
      metrics,
      trustedProxies: config.trustedProxies,
      userNameOf: (request) => request.principal?.userName,
      beforeRoutes: (routes) => {
        authorizeRequests(routes, {
          rootPath,
          corsOrigins: config.corsOrigins,
          requireSignInForReads: config.requireSignInForReads,
          requireTlsForWrites: config.requireTlsForWrites,
          permissions,
          identify: (request) => authenticator.identify(requestCredentials(request)),
        });
        auditRequests(routes, { rootPath, audit: (event) => audit.record(event) });
      },
    });
    cleanup.push(() => app.close());
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
        await entryFormRoutes(api, { storage, blobs, texts, clock, permissions, extensions, multipart });
        await attachmentRoutes(api, { storage, blobs, texts, clock, permissions, extensions, multipart });
        const search = { searchIndex, entries: storage.committed.entries, permissions, clock, zone: config.timeZone };
        await searchRoutes(api, search);
        await rssRoutes(api, { ...search, feeds, changes: storage.committed.feed, rootPath, publicUrl });
        const liveDeps = { ...live, authenticator, requestCredentials, permissions };
        await changeStreamRoutes(api, { ...liveDeps, storage, searchIndex, clock, zone: config.timeZone });
        await webSocketRoutes(api, {
          ...liveDeps,
          requireSignInForReads: config.requireSignInForReads,
          mayTakePassword: (request) => !config.requireTlsForWrites || isSecureTransport(request),
        });
        await templateRoutes(api, { storage, texts, clock, permissions });
        await signInRoutes(api, { authenticator, sameSite });
        const checkAdmin = (principal: Principal) => permissions.check(principal, 'admin');
        await sessionRoutes(api, { sessions: signIn.sessions, checkAdmin });
        await tokenRoutes(api, { authenticator, tokens: signIn.tokens, checkAdmin });
        await auditRoutes(api, { audit });
        await subscribersRoutes(api, { subscribers });
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
    const renewal = new TlsReload(listening, certificate, log.child({ part: 'tls' }), jobs);
    cleanup.push(() => renewal.stop());
    const { addresses } = listening;
    return {
      addresses,
      dataDir,
      storage,
      searchIndex,
      renewCertificate: () => renewal.checkNow(),
      stop: () => cleanup.closeAll(),
    };
  } catch (error) {
    // What it cannot close on the way out matters less than why it goes.
    await cleanup.closeAll().catch(() => undefined);
    throw error;
  }
}

/**
 * Makes the search index anew from the entries.
 * @throws Error for people when a process uses the data directory, or there is no logbook in it
 */
export async function rebuildSearchIndex(
  dataDir: string,
  log: Log,
  onProgress: (indexed: number, all: number) => void,
): Promise<void> {
  await stat(join(dataDir, documentsFile)).catch(() => {
    throw new Error(`There is no logbook in ${dataDir}. Choose its data directory.`);
  });
  const unlock = await lock(dataDir);
  try {
    removeSearchIndex(dataDir);
    const { storage, searchIndex } = await openSqliteStorage({ dataDir, log, jobs: new BackgroundJobs({ log }) });
    try {
      await searchIndex.waitUntilIndexed(onProgress);
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

function tlsSource(config: Config, dataDir: string): TlsSource {
  if (config.tlsPkcs12File !== '') {
    return { kind: 'pkcs12', file: config.tlsPkcs12File, password: config.tlsPkcs12Password };
  }
  if (config.tlsCertificateFile !== '') {
    return { kind: 'pem', certificateFile: config.tlsCertificateFile, keyFile: config.tlsKeyFile };
  }
  return { kind: 'self-signed', dir: join(dataDir, 'tls') };
}
