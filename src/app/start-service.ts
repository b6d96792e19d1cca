import type { Logger } from 'pino';
import { Thumbnails } from '../attachments/thumbnails.js';
import { LogbookAccess } from '../auth/logbook-access.js';
import { defaultCatalog, readCatalogFile, seedCatalog } from '../catalog/seed-catalog.js';
import type { ServiceOptions } from '../config/service-options.js';
import type { Storage } from '../engines/storage.port.js';
import { DeviceNames } from '../entries/device-names.js';
import { TextRenderer } from '../entries/text-renderer.js';
import type { Addresses } from '../http/listeners.js';
import { RequestMetrics } from '../http/metrics.js';
import { systemClock as clock } from '../kernel/clock.js';
import { Drain } from '../kernel/drain.js';
import type { Log } from '../kernel/log.js';
import { NodeLeases } from '../kernel/node-leases.js';
import { RemovalGate } from '../kernel/removal-gate.js';
import { RssRenderer } from '../search/rss-renderer.js';
import type { SearchIndex } from '../search/search-index.port.js';
import { createBackupKey, startBackups } from './backup/start-backups.js';
import { CleanupStack } from './cleanup-stack.js';
import { loadAfterStart } from './load-after-start.js';
import { observeStores } from './observe/observed-stores.js';
import { openObservers } from './observe/open-observers.js';
import { measureState } from './observe/state-metrics.js';
import { openAuth } from './open-auth.js';
import { openControlSystem } from './open-control-system.js';
import { openNotifications } from './open-notifications.js';
import { openPlugins } from './open-plugins.js';
import { openSearchIndex } from './open-search-index.js';
import { checkTlsFiles, openListeners, openServer } from './open-server.js';
import { lockStorage, type OpenedStores, openStorage, type Stores } from './open-storage.js';
import { type Renderers, registerRoutes } from './register-routes.js';
import { startReplicaSnapshots } from './replica-snapshots/start-replica-snapshots.js';
import { createIntegrity, createJobs, startJobs } from './start-jobs.js';

export interface RunningService {
  readonly addresses: Addresses;
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
  /** Reloads the certificate immediately if its files have changed. */
  renewCertificate(): Promise<void>;
  /**
   * Waits for the end of the drain, refuses new requests, finishes those in flight, and resolves when everything is on
   * the disk and closed.
   * @param abandon ends the drain and aborts the requests in flight
   */
  stop(abandon?: AbortSignal): Promise<void>;
}

/**
 * Assembles and starts the service. Its parts are closed in reverse order.
 * @throws the reason of `signal` when it aborts before the service runs
 * @throws Error that explains why the service cannot start; everything that was opened is closed in that case
 */
export async function startService(options: ServiceOptions, log: Logger, signal: AbortSignal): Promise<RunningService> {
  const cleanup = new CleanupStack();
  return cleanup.guard(async () => {
    signal.throwIfAborted();
    await checkTlsFiles(options.listeners);
    const metrics = new RequestMetrics();
    const drain = new Drain(options.drainMs);
    const jobs = createJobs(metrics, log);
    const integrity = createIntegrity(metrics, log);
    const removals = new RemovalGate();
    const lock = await lockStorage(options.storage, cleanup);
    // Plug-ins are opened before the storage and closed after it, so that all data is on the disk before a slow plug-in
    // is awaited.
    const plugins = await openPlugins(options.plugins, options.http.maxEntryBytes, log, cleanup);
    signal.throwIfAborted();
    const restrictedLogbooks = new LogbookAccess(options.auth.logbookRules).hiddenLogbooksFor(undefined);
    const storageDeps = { log, jobs, integrity, removals, restrictedLogbooks };
    const opened = await openStorage(options.storage, lock, storageDeps, cleanup);
    const leases = cleanup.use(new NodeLeases(opened.storage.leases, { log: log.child({ part: 'leases' }) }));
    jobs.shareBy(leases);
    const observers = await openObservers(options, { metrics, log }, cleanup);
    const searched = await openSearchIndex(opened, options.storage.index, { jobs, log }, cleanup);
    const stores = observeStores(searched, observers);
    await seedCatalog(stores.storage, () => readInitialCatalog(options.initialCatalogFile));
    signal.throwIfAborted();
    const auth = await openAuth(options.auth, { ...stores, clock, log, jobs }, cleanup);
    signal.throwIfAborted();
    const { clockWatch } = auth;
    removals.open(clockWatch);
    const notificationDeps = { ...stores, ...observers, clock, auth, jobs, leases };
    const notifications = await openNotifications(options, notificationDeps, cleanup);
    measureState({ metrics, stores, notifications, clock }, options);
    startJobs({ jobs, stores, integrity, metrics, log, clock, clockWatch }, options, cleanup);
    const started = await startWatched({ jobs, metrics, log, clock, stores }, opened, options, cleanup);
    const renderers = openRenderers(stores, log, cleanup);
    signal.throwIfAborted();
    const app = await openServer(options.http, options.admission, { auth, stores, ...observers }, cleanup);
    const parts = { stores, auth, notifications, renderers, plugins, ...started };
    await registerRoutes(app, options, { ...parts, metrics, integrity, clock, drain });
    await stores.warmedUp;
    signal.throwIfAborted();
    const { listening, tlsReload } = await openListeners(app, options.listeners, { jobs, log }, cleanup);
    await createBackupKey(options, log);
    loadAfterStart([renderers.texts, metrics], log, cleanup);
    return {
      addresses: listening.addresses,
      storage: stores.storage,
      searchIndex: stores.searchIndex,
      renewCertificate: async () => tlsReload?.checkNow(),
      stop: async (abandon) => {
        abandon?.addEventListener('abort', listening.terminate, { once: true });
        if (abandon?.aborted) listening.terminate();
        await drain.run(abandon);
        return cleanup.close();
      },
    };
  });
}

/**
 * Starts backups, snapshots and the reading of device values. Returns the parts whose health is reported, and the
 * sources and names of devices.
 */
async function startWatched(
  { stores, ...deps }: Omit<Parameters<typeof startBackups>[0], 'redactions'> & { readonly stores: Stores },
  { storage, own }: OpenedStores,
  options: ServiceOptions,
  cleanup: CleanupStack,
): Promise<Pick<Parameters<typeof registerRoutes>[2], 'watched' | 'devices' | 'deviceNames'>> {
  const { redactions } = storage.committed;
  const backups = await startBackups({ ...deps, redactions }, options, cleanup);
  const snapshotDeps = { ...deps, storage, updater: own?.updater };
  const snapshots = await startReplicaSnapshots(snapshotDeps, options.storage, cleanup);
  const controlSystem = await openControlSystem(options.controlSystem, { ...deps, ...stores }, cleanup);
  const watched = [backups, snapshots, controlSystem].filter((source) => source !== undefined);
  const deviceNames = controlSystem?.deviceNames ?? new DeviceNames(options.controlSystem.deviceNames);
  return { watched, devices: controlSystem?.devices, deviceNames };
}

/** Opens the converters of stored data into other forms. Each works in a separate thread or process. */
function openRenderers({ blobs, thumbnailStore: store }: Stores, log: Log, cleanup: CleanupStack): Renderers {
  const attachmentLog = log.child({ part: 'attachments' });
  return {
    texts: cleanup.use(new TextRenderer()),
    feeds: cleanup.use(new RssRenderer()),
    thumbnails: cleanup.use(new Thumbnails({ blobs, store, log: attachmentLog })),
  };
}

async function readInitialCatalog(file: string | undefined) {
  return file === undefined ? defaultCatalog : readCatalogFile(file);
}
