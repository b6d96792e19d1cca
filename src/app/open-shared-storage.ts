import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holdsBlobs, readBlobStoreId, writeBlobStoreId } from '../engines/files/blob-store-identity.js';
import type { PostgresStorage } from '../engines/postgres/postgres-storage.js';
import type { DataDirLock } from '../engines/sqlite/data-dir-lock.js';
import { documentsFile } from '../engines/sqlite/inspect-documents.js';
import { type ReplicaOptions, replicaOpener } from '../engines/sqlite/replica/sqlite-replica.js';
import type { Storage } from '../engines/storage.port.js';
import type { BlobOptions, SharedOptions } from '../engines/storage-options.js';
import type { Integrity } from '../kernel/integrity.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { makeDirectory } from '../kernel/make-directory.js';
import { ReplicaUpdater } from '../search/replica/replica-updater.js';
import { ReplicatedSearchIndex } from '../search/replica/replicated-search-index.js';
import type { CleanupStack } from './cleanup-stack.js';
import { findNodeName } from './node-name.js';
import { openBlobStore, type SharedFiles } from './open-blob-store.js';
import { snapshotSeed } from './replica-snapshots/begin-with-snapshot.js';
import { replicaFolder, snapshotStoreOptions } from './replica-snapshots/start-replica-snapshots.js';
import { restrictAccess } from './restrict-access.js';

interface Deps {
  readonly log: Log;
  readonly jobs: JobRegistry;
  readonly integrity: Integrity;
  /** See `SearchIndexDeps`. */
  readonly restrictedLogbooks?: readonly string[] | undefined;
}

/**
 * Opens the storage that this node shares with others, and the replica that this node searches, if it has one.
 * @throws Error when the data directory, the database and the attachments do not belong together; nothing was changed
 *   in that case
 */
export async function openSharedStorage(
  options: SharedOptions,
  lock: DataDirLock,
  deps: Deps,
  cleanup: CleanupStack,
  { mayUseSnapshots = true } = {},
) {
  const { storage, blobs, storeId } = await openSharedContents(options, lock, deps, cleanup);
  if (options.index.kind !== 'embedded') return { storage, blobs, own: undefined };
  const seed = mayUseSnapshots
    ? snapshotSeed({
        storeOptions: snapshotStoreOptions(options),
        storeId,
        committed: storage.committed,
        minFreeBytes: options.snapshots.minFreeBytes,
        log: deps.log.child({ part: 'replica' }),
      })
    : undefined;
  const updater = cleanup.use(await openReplica(storage, { ...options, storeId, ...(seed && { seed }) }, deps));
  const searchIndex = new ReplicatedSearchIndex(updater);
  return { storage, blobs, own: { searchIndex, positions: searchIndex, updater } };
}

/** Opens the replica of the entries on this node, or starts a new one. */
async function openReplica(
  storage: PostgresStorage,
  { dataDir, ...options }: Pick<SharedOptions, 'dataDir' | 'searchThreads'> & Pick<ReplicaOptions, 'storeId' | 'seed'>,
  { log: serviceLog, jobs, integrity, restrictedLogbooks }: Deps,
): Promise<ReplicaUpdater> {
  const log = serviceLog.child({ part: 'replica' });
  const dir = join(dataDir, replicaFolder);
  const opener = replicaOpener({ ...options, dir, restrictedLogbooks, log, jobs, integrity });
  return startReplicaUpdater(storage, { opener, jobs, log });
}

/**
 * Opens the documents and files that this node shares with others, without a search.
 * @param isBeingRestored whether a restore in this process has just written the documents and files
 * @throws as `openSharedStorage`
 */
export async function openSharedContents(
  options: SharedOptions,
  lock: DataDirLock,
  { log, jobs, integrity }: Deps,
  cleanup: CleanupStack,
  { isBeingRestored = false } = {},
) {
  const { dataDir } = options;
  refuseEmbedded(dataDir);
  await restrictAccess(dataDir, log);
  const { openPostgresStorage } = await import('../engines/postgres/postgres-storage.js');
  const storage = cleanup.use(
    await openPostgresStorage(options.postgres, { log: log.child({ part: 'postgres' }), integrity, isBeingRestored }),
  );
  const { storeId } = await storage.status();
  if (storeId === '') throw new Error('The database does not say to which logbook it belongs. Try again.');
  refuseForeign(dataDir, lock, storeId);
  const blobOptions = await findBlobOptions(options, storeId, storage);
  if (!lock.records.identity) lock.record({ identity: { storeId, isComplete: false } });
  const blobs = await openBlobStore(blobOptions, dataDir, { storage, log, jobs, integrity }, cleanup);
  return { storage, blobs, storeId };
}

async function startReplicaUpdater(
  storage: PostgresStorage,
  deps: Pick<Parameters<typeof ReplicaUpdater.start>[0], 'opener' | 'jobs' | 'log'>,
): Promise<ReplicaUpdater> {
  const { entryWrites } = storage.committed;
  const updater = await ReplicaUpdater.start({ ...deps, entryWrites, entryCopies: storage.entryCopies });
  storage.onCommit((commit) => {
    if (commit.entries) updater.onWrite();
  });
  return updater;
}

/**
 * Refuses the data directory of an embedded logbook. It would still seem to contain that logbook while a node uses it.
 */
function refuseEmbedded(dataDir: string): void {
  if (!existsSync(join(dataDir, documentsFile))) return;
  throw new Error(
    `The data directory ${dataDir} has an embedded logbook (${documentsFile}), but storage is “postgres”. Nothing was changed. Set storage=embedded to use that logbook, or choose another dataDir for this node.`,
  );
}

/** Refuses the data directory of a node of another logbook. */
function refuseForeign(dataDir: string, { records: { identity } }: DataDirLock, storeId: string): void {
  if (!identity || identity.storeId === storeId) return;
  throw new Error(
    `The data directory ${dataDir} belongs to a node of the logbook ${identity.storeId}, but the database has the logbook ${storeId}. Nothing was changed. Check the settings of the database, or choose another dataDir for this node.`,
  );
}

async function findBlobOptions(
  { blobs, attachmentsDir, dataDir }: SharedOptions,
  storeId: string,
  storage: Storage,
): Promise<BlobOptions | SharedFiles> {
  if (blobs.kind !== 'files') return blobs;
  await claimAttachments(attachmentsDir, storeId, storage);
  return { kind: 'shared-files', dir: attachmentsDir, node: await findNodeName(dataDir) };
}

/**
 * Ensures that the directory contains the attachments of this logbook and not of another one, and that it is not empty
 * by mistake.
 */
async function claimAttachments(
  dir: string,
  storeId: string,
  { committed }: Pick<Storage, 'committed'>,
): Promise<void> {
  const recorded = await readBlobStoreId(dir);
  if (recorded === storeId) return;
  if (recorded !== undefined) {
    throw new Error(
      `attachmentsDir ${dir} belongs to the logbook ${recorded}, but the database has the logbook ${storeId}. Nothing was changed. Name the directory of this logbook, or check the settings of the database.`,
    );
  }
  const [referenced] = await committed.attachments.listFiles('', 1);
  if (referenced || (await holdsBlobs(dir))) {
    const found = referenced ? 'is missing, or is not the directory of this logbook' : 'has files of another logbook';
    throw new Error(
      `attachmentsDir ${dir} ${found}. Nothing was changed. Check that its file system is mounted. If it is the right directory and lacks only the file store-id, write ${storeId} into a file of that name.`,
    );
  }
  await makeDirectory(dir, 0o700);
  await writeBlobStoreId(dir, storeId);
}
