import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DocumentRestore } from '../../backup/document-snapshot.port.js';
import type { FileRestore } from '../../backup/file-access.port.js';
import type { Manifest } from '../../backup/manifest.js';
import {
  type RestoredBackup,
  type RestoreOptions,
  type RestoreTarget,
  restoreBackup,
} from '../../backup/restore-backup.js';
import { type MayReplace, type RestoreMark, type RestoreRun, restoreMarkName } from '../../backup/restore-mark.js';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import { openFileRestore } from '../../engines/files/file-restore.js';
import { openSqliteRestore } from '../../engines/sqlite/backup/sqlite-restore.js';
import { type DataDirLock, lockDataDir } from '../../engines/sqlite/data-dir-lock.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import { commandFor } from '../../kernel/command-hint.js';
import type { Log } from '../../kernel/log.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { checkFileKinds } from '../check-file-kinds.js';
import { CleanupStack } from '../cleanup-stack.js';
import { attachmentsFolder } from '../storage-identity.js';
import { addPublicKeys, backupKeyFile, backupPublicKeyFile } from './backup-keys.js';
import { noteFile } from './newest-backup.js';
import { openBackupTarget } from './open-backup-target.js';
import { attachmentsDirOf } from './open-logbook-data.js';
import { repeatRestoredRedactions } from './repeat-restored-redactions.js';
import {
  findRestoreMarker,
  refuseIncompleteRestore,
  removeRestoreMarker,
  unfinishedMarker,
  writeRestoreMarker,
} from './restore-marker.js';

export interface RestoreRequest extends RestoreOptions {
  readonly storage: StorageOptions;
  readonly source: BackupTargetOptions;
  /**
   * Mode of the restore. `start-over` replaces the remains of an interrupted restore. `copy` replaces the remains of an
   * interrupted copy of the same logbook, and prevents services from starting until `releaseRestored`.
   */
  readonly mode: 'new' | 'start-over' | 'copy';
  readonly log: Log;
}

/**
 * Restores a backup into an empty storage.
 * @throws Error when the storage is not empty; UntrustedBackup or DamagedBackup before anything is changed
 */
export async function restoreLogbook(request: RestoreRequest): Promise<RestoredBackup> {
  const { storage, source, log } = request;
  const cleanup = new CleanupStack();
  const restored = await cleanup.guard(async () => {
    await checkFree(storage.dataDir, mayReplaceBy(request.mode));
    const access = { mode: 'read', mayCreate: false, dataDir: storage.dataDir, log } as const;
    const opened = await openBackupTarget(source, access, cleanup);
    return restoreBackup(opened, (manifest) => openTarget(request, manifest), request);
  });
  await cleanup.close();
  return restored;
}

/** @param storeId id of the logbook in the backup; undefined when it is not known yet */
function mayReplaceBy(mode: RestoreRequest['mode'], storeId?: string): MayReplace {
  if (mode !== 'copy') return () => mode === 'start-over';
  return ({ copyOf }) => copyOf !== undefined && (storeId === undefined || copyOf === storeId);
}

/**
 * Names that may exist in a directory that a restore considers empty: the lock of a refused restore, an incomplete
 * mark, the directory of a new file system, the keys of backups, and the note of the newest backup.
 */
const emptyNames = new Set([
  'lock.sqlite',
  'lock.sqlite-journal',
  unfinishedMarker,
  'lost+found',
  backupKeyFile,
  backupPublicKeyFile,
  noteFile,
]);

async function checkFree(dir: string, mayReplace: MayReplace): Promise<void> {
  const mark = findRestoreMarker(dir);
  if (mark && !mayReplace(mark)) refuseIncompleteRestore(dir);
  if (mark) return;
  const found = await listContent(dir);
  if (found.length === 0) return;
  throw new Error(
    `The directory ${dir} is not empty: it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}. A restore overwrites nothing, and nothing was changed. Choose another one, or move this one away, and keep it until you have checked the restored logbook.`,
  );
}

/** Returns the names in a directory, other than those that a restore leaves. */
async function listContent(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => !emptyNames.has(name));
}

/** Leaves a directory that a restore has marked as it was before: empty. Keeps everything if a file was stored in it. */
async function unmark(dir: string): Promise<void> {
  const all = await readdir(dir, { recursive: true, withFileTypes: true });
  if (all.some((one) => !one.isDirectory() && !emptyNames.has(one.name) && one.name !== restoreMarkName)) return;
  for (const name of await listContent(dir)) {
    if (name !== restoreMarkName) await rm(join(dir, name), { recursive: true });
  }
  await removeRestoreMarker(dir);
}

async function openTarget({ storage, mode, trust, log }: RestoreRequest, { header }: Manifest): Promise<RestoreTarget> {
  const { dataDir } = storage;
  const found = findRestoreMarker(dataDir);
  if (mode === 'start-over' && found?.isRestored && found.copyOf === undefined) {
    if (found.backup === header.name) return restoredTarget(storage, log);
    throw new Error(
      `The backup ${found.backup} was restored into ${dataDir}, and only its marks have to be removed: run the command again with “--backup ${found.backup} --start-over”. Nothing was changed. To restore ${header.name}, choose another target.`,
    );
  }
  const mark = { backup: header.name, copyOf: mode === 'copy' ? header.storeId : undefined, isRestored: false };
  const run = { mark, mayReplace: mayReplaceBy(mode, header.storeId) };
  const cleanup = new CleanupStack();
  return cleanup.guard(async () => {
    const lock = await lockForRestore(storage, run, cleanup);
    let isOpen = false;
    const unmarkIfRefused = (dir: string) => cleanup.defer(() => (isOpen ? undefined : unmark(dir)));
    if (!found) unmarkIfRefused(dataDir);
    const files = cleanup.use(await openFiles(storage, run, log, unmarkIfRefused));
    const documents = cleanup.use(await openDocuments(storage, run, log));
    isOpen = true;
    return {
      files,
      documents,
      redact: (redactions) => repeatRestoredRedactions(storage, redactions, lock, log),
      async complete(storeId) {
        // The restored logbook trusts its earlier backups.
        if (!trust.acceptUnsigned) await addPublicKeys(dataDir, trust.keys);
        lock.record({ identity: { storeId, isComplete: storage.kind === 'embedded' } });
        await syncDirectory(dirname(dataDir)).catch(() => undefined);
        await writeRestoreMarker(dataDir, { ...mark, isRestored: true });
        if (mode !== 'copy') await releaseRestored(storage, log);
      },
      close: () => cleanup.close(),
    };
  });
}

/**
 * Returns the target for a restore that was interrupted while it removed its marks, so that some of its parts may
 * already be in use.
 */
async function restoredTarget(storage: StorageOptions, log: Log): Promise<RestoreTarget> {
  const lock = await lockDirectory(storage.dataDir);
  const skip = async () => undefined;
  return {
    files: { has: async () => true, add: skip, complete: skip, close: skip },
    documents: { insert: skip, complete: skip, close: skip },
    redact: async () => ({ applied: 0, findings: [] }),
    complete: () => releaseRestored(storage, log),
    close: async () => lock.release(),
  };
}

/**
 * Permits services to use the restored data. Can be repeated after an interruption, because the mark of the data
 * directory is removed last.
 */
export async function releaseRestored(storage: StorageOptions, log: Log): Promise<void> {
  if (storage.blobs.kind !== 'files') {
    const { removeBucketMark } = await import('../../engines/s3/object-file-restore.js');
    await removeBucketMark(storage.blobs.s3, log);
  }
  if (isShared(storage)) await removeRestoreMarker(attachmentsDirOf(storage));
  if (storage.kind === 'postgres') {
    const { removeRestoreMark } = await import('../../engines/postgres/backup/postgres-restore-mark.js');
    await removeRestoreMark(storage.postgres, log);
  }
  await removeRestoreMarker(storage.dataDir);
}

async function openDocuments(storage: StorageOptions, run: RestoreRun, log: Log): Promise<DocumentRestore> {
  if (storage.kind === 'embedded') return openSqliteRestore(storage.dataDir);
  const { openPostgresRestore } = await import('../../engines/postgres/backup/postgres-restore.js');
  return openPostgresRestore(storage.postgres, run, log);
}

/** @param onMarked called with a directory that was empty and unmarked before */
async function openFiles(
  storage: StorageOptions,
  run: RestoreRun,
  log: Log,
  onMarked: (dir: string) => void,
): Promise<FileRestore> {
  if (storage.blobs.kind !== 'files') {
    const { openObjectFileRestore } = await import('../../engines/s3/object-file-restore.js');
    return openObjectFileRestore(storage.blobs.s3, join(storage.dataDir, 'restore-staging'), run, log);
  }
  const dir = attachmentsDirOf(storage);
  if (isShared(storage)) {
    const wasMarked = findRestoreMarker(dir) !== undefined;
    await prepareDirectory(dir, run);
    if (!wasMarked) onMarked(dir);
  }
  return openFileRestore(dir);
}

/** Whether the files are in a directory outside of the data directory. */
function isShared(storage: StorageOptions): boolean {
  return storage.kind === 'postgres' && storage.blobs.kind === 'files';
}

/** Locks the data directory for this process, and marks it. */
async function lockForRestore(
  { kind, dataDir }: StorageOptions,
  { mark, mayReplace }: RestoreRun,
  cleanup: CleanupStack,
): Promise<DataDirLock> {
  await checkFileKinds(dataDir);
  await makeDirectory(dataDir, 0o700);
  const lock = await lockDirectory(dataDir);
  cleanup.defer(() => lock.release());
  // Another restore may have started before the lock was acquired.
  await checkFree(dataDir, mayReplace);
  const { identity } = lock.records;
  if (identity && !findRestoreMarker(dataDir)) throw ownedDirectory(kind, dataDir, identity.storeId);
  await markForRestore(dataDir, mark);
  return lock;
}

async function lockDirectory(dataDir: string): Promise<DataDirLock> {
  const lock = await lockDataDir(dataDir);
  if (!lock) throw new Error(`Another process is using the data directory ${dataDir}. Nothing was changed.`);
  return lock;
}

function ownedDirectory(kind: StorageOptions['kind'], dataDir: string, storeId: string): Error {
  return new Error(
    kind === 'postgres'
      ? `The data directory ${dataDir} belongs to a node of the logbook ${storeId}. A restore overwrites nothing, and nothing was changed. Choose another dataDir.`
      : `lock.sqlite in ${dataDir} says that the directory belongs to the logbook ${storeId}, whose other parts are missing. Nothing was changed. Choose another dataDir, or move lock.sqlite away if that logbook is lost. See also: ${commandFor('adopt', dataDir)}`,
  );
}

async function prepareDirectory(dir: string, { mark, mayReplace }: RestoreRun): Promise<void> {
  await makeDirectory(dir, 0o700);
  await checkFree(dir, mayReplace);
  await markForRestore(dir, mark);
}

/** Folders of files named by their checksums, which the next copy reuses. */
const fileFolders = new RegExp(`^(${attachmentsFolder}|[0-9a-f]{2})$`);

/** Marks a directory, and removes the remains of an interrupted restore. The directory cannot contain anything else. */
async function markForRestore(dir: string, mark: RestoreMark): Promise<void> {
  await writeRestoreMarker(dir, mark);
  for (const name of await readdir(dir)) {
    const isKept = emptyNames.has(name) || name === restoreMarkName;
    if (isKept || (mark.copyOf !== undefined && fileFolders.test(name))) continue;
    await rm(join(dir, name), { recursive: true });
  }
}
