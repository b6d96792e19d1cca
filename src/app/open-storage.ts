import { dirname, join } from 'node:path';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { ThumbnailStore } from '../attachments/thumbnail-store.port.js';
import { openFileThumbnailStore } from '../engines/files/file-thumbnail-store.js';
import { type DataDirLock, lockDataDir } from '../engines/sqlite/data-dir-lock.js';
import { freeReservedSpace, reserveSpace, restoreReservedSpace } from '../engines/sqlite/reserved-space.js';
import { openSqliteStorage, openUnindexedStorage } from '../engines/sqlite/sqlite-storage.js';
import type { Storage } from '../engines/storage.port.js';
import type { EmbeddedOptions, SharedOptions, StorageOptions } from '../engines/storage-options.js';
import { keepRecentEntries } from '../entries/recent-entries.js';
import type { Integrity } from '../kernel/integrity.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { makeDirectory } from '../kernel/make-directory.js';
import { RemovalGate } from '../kernel/removal-gate.js';
import { removeStagedFiles } from '../kernel/replace-file.js';
import { syncDirectory } from '../kernel/sync-directory.js';
import type { ReplicaUpdater } from '../search/replica/replica-updater.js';
import type { SearchIndex } from '../search/search-index.port.js';
import type { SearchPositions } from '../search/search-positions.port.js';
import { refuseIncompleteRestore } from './backup/restore-marker.js';
import { checkFileKinds } from './check-file-kinds.js';
import type { CleanupStack } from './cleanup-stack.js';
import { openBlobStore } from './open-blob-store.js';
import { RecordedRun } from './recorded-run.js';
import { refuseForeignDirectory } from './refuse-foreign-directory.js';
import { restrictAccess } from './restrict-access.js';
import { checkDataDir, readDataDir, warnOfLoss } from './storage-identity.js';

/** Maximum total size of all thumbnails. */
const maxThumbnailBytes = 268_435_456;

export interface NodeSearch {
  readonly searchIndex: SearchIndex;
  /** Positions of the writes that this node's searches find; undefined: every search finds every write immediately. */
  readonly positions: SearchPositions | undefined;
}

export interface OwnSearch extends NodeSearch {
  /** Updater of the replica; undefined when the node searches the storage itself. */
  readonly updater: ReplicaUpdater | undefined;
}

/** The storage, with the search index if that is part of the storage. */
export interface OpenedStores {
  readonly storage: Storage;
  /** Undefined when the search index is not part of the storage. */
  readonly own: OwnSearch | undefined;
  readonly blobs: BlobStore;
  readonly thumbnailStore: ThumbnailStore;
  /** Resolves when the first search takes no longer than later ones, but at the latest after a few seconds. */
  readonly warmedUp: Promise<void>;
}

export type Stores = Omit<OpenedStores, 'own'> & NodeSearch;

interface Deps {
  readonly log: Log;
  readonly jobs: JobRegistry;
  readonly integrity: Integrity;
  /** Decides whether expired data may be removed; undefined when it may not. */
  readonly removals?: RemovalGate;
  /** See `SearchIndexDeps`. */
  readonly restrictedLogbooks?: readonly string[] | undefined;
}

/**
 * Locks the data directory for this process, and removes unfinished files that crashes have left.
 * @throws Error when another process is using it, a restore into it is unfinished, or one of its paths is of the wrong
 *   kind, such as a named pipe
 */
export async function lockStorage(
  { kind, dataDir }: Pick<StorageOptions, 'kind' | 'dataDir'>,
  cleanup: CleanupStack,
): Promise<DataDirLock> {
  await checkFileKinds(dataDir);
  await refuseForeignDirectory(dataDir);
  await makeDirectory(dataDir, 0o700);
  const lock = await lockDataDir(dataDir);
  if (!lock) {
    throw new Error(`Another process is using the data directory ${dataDir}. Stop it, or use another directory.`);
  }
  cleanup.defer(() => lock.release());
  refuseIncompleteRestore(dataDir);
  await removeStagedFiles(dataDir);
  if (kind === 'embedded' && freeReservedSpace(dataDir)) cleanup.defer(() => restoreReservedSpace(dataDir));
  return lock;
}

/**
 * Opens the storage.
 * @throws IdentityMismatch when its parts do not belong together; nothing was changed in that case
 */
export async function openStorage(
  options: StorageOptions,
  lock: DataDirLock,
  deps: Deps,
  cleanup: CleanupStack,
): Promise<OpenedStores> {
  const stores =
    options.kind === 'embedded'
      ? await openEmbeddedStorage(options, lock, deps, cleanup)
      : await openSharedStores(options, lock, deps, cleanup);
  const thumbnailStore = await openFileThumbnailStore({
    dir: join(options.dataDir, 'thumbnails'),
    maxBytes: maxThumbnailBytes,
    log: deps.log.child({ part: 'attachments' }),
  });
  return { ...stores, thumbnailStore };
}

async function openSharedStores(
  options: SharedOptions,
  lock: DataDirLock,
  deps: Deps,
  cleanup: CleanupStack,
): Promise<Omit<OpenedStores, 'thumbnailStore'>> {
  const { openSharedStorage } = await import('./open-shared-storage.js');
  const { storage, blobs, own } = await openSharedStorage(options, lock, deps, cleanup);
  return { storage, blobs, own, warmedUp: Promise.resolve() };
}

async function openEmbeddedStorage(
  options: EmbeddedOptions,
  lock: DataDirLock,
  { log, jobs, integrity, removals = new RemovalGate(), restrictedLogbooks }: Deps,
  cleanup: CleanupStack,
): Promise<Omit<OpenedStores, 'thumbnailStore'>> {
  const { dataDir, migrationCopy, searchThreads, index } = options;
  const contents = await readDataDir(dataDir, lock, options.blobs.kind);
  checkDataDir(contents);
  warnOfLoss(contents, log);
  await restrictAccess(dataDir, log);
  const sqliteLog = log.child({ part: 'sqlite' });
  const run = new RecordedRun(contents, lock, log);
  const mark = run.announceMark();
  let isMarked = false;
  const onMarked = () => {
    isMarked = true;
  };
  const deps = { removals, restrictedLogbooks, log: sqliteLog, jobs, integrity };
  const sqlite = { dataDir, migrationCopy, searchThreads, mark, onMarked, ...deps };
  const indexed = index.kind === 'embedded' ? await openSqliteStorage(sqlite) : undefined;
  const storage = indexed?.storage ?? (await openUnindexedStorage(sqlite));
  // Runs after the storage is closed.
  cleanup.defer(() => run.end());
  cleanup.use(storage);
  if (mark !== undefined) run.begin(mark);
  const { storeId } = await storage.status();
  const blobs = await openBlobStore(options.blobs, dataDir, { storage, log, jobs, integrity }, cleanup);
  await syncParent(dataDir, log);
  await run.recordStore(storeId);
  if (isMarked && mark !== undefined) run.confirmMark(mark);
  reserveSpace(dataDir);
  const own = indexed && { searchIndex: indexed.searchIndex, positions: undefined, updater: undefined };
  return { storage: keepRecentEntries(storage), own, blobs, warmedUp: indexed?.warmedUp ?? Promise.resolve() };
}

/** Syncs the parent directory, because a power failure could otherwise lose a new data directory with its files. */
async function syncParent(dataDir: string, log: Log): Promise<void> {
  try {
    await syncDirectory(dirname(dataDir));
  } catch (error) {
    // Another user owns the parent. After the first start, everything important is in the data directory itself.
    log.warn({ err: error }, 'could not sync the parent of the data directory; a power failure may lose a new one');
  }
}
