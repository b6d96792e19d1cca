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
import type { BackupTarget } from '../../engines/backup-options.js';
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
import { openBackupPlace } from './open-backup-place.js';
import { attachmentsDirOf } from './open-logbook-data.js';
import { repeatRestoredRedactions } from './repeat-restored-redactions.js';
import {
  isRestoreIncomplete,
  refuseIncompleteRestore,
  removeRestoreMarker,
  restoreMarker,
  writeRestoreMarker,
} from './restore-marker.js';

export interface RestoreRequest extends RestoreOptions {
  readonly storage: StorageOptions;
  readonly source: BackupTarget;
  /** Removes what an interrupted restore has left in the data directory. */
  readonly startOver: boolean;
  readonly log: Log;
}

/**
 * Restores a backup to where nothing is.
 * @throws Error when something is there, and DamagedBackup: nothing was changed then
 */
export async function restoreLogbook(request: RestoreRequest): Promise<RestoredBackup> {
  const { storage, source, log } = request;
  const cleanup = new CleanupStack();
  const restored = await cleanup.guard(async () => {
    await checkFree(storage.dataDir, request.startOver);
    const access = { mode: 'read', mayCreate: false, dataDir: storage.dataDir, log } as const;
    const place = await openBackupPlace(source, access, cleanup);
    return restoreBackup(place, (manifest) => openTarget(request, manifest), request);
  });
  await cleanup.close();
  return restored;
}

/** What a restore may find: the lock of one that was refused, and what a new file system has. */
const emptyNames = /^(lock[.]sqlite(-journal)?|lost[+]found)$/;

async function checkFree(dir: string, startOver: boolean): Promise<void> {
  if (isRestoreIncomplete(dir)) {
    if (!startOver) refuseIncompleteRestore(dir);
    return;
  }
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = names.filter((name) => !emptyNames.test(name));
  if (found.length === 0) return;
  throw new Error(
    `The directory ${dir} is not empty: it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}. A restore overwrites nothing, and nothing was changed. Choose another one, or move this one away, and keep it until the restored logbook was checked.`,
  );
}

async function openTarget({ storage, startOver, log }: RestoreRequest, { header }: Manifest): Promise<RestoreTarget> {
  const { dataDir } = storage;
  const cleanup = new CleanupStack();
  return cleanup.guard(async () => {
    const lock = await lockForRestore(dataDir, startOver, header.name, cleanup);
    const files = cleanup.use(await openFiles(storage, startOver, header.name, log));
    const documents = cleanup.use(await openDocuments(storage, log));
    return {
      files,
      documents,
      redact: (redactions) => repeatRestoredRedactions(storage, redactions, lock, log),
      async complete(storeId) {
        lock.recordIdentity({ storeId, isComplete: storage.kind === 'embedded' });
        await syncDirectory(dirname(dataDir)).catch(() => undefined);
        if (isShared(storage)) await removeRestoreMarker(attachmentsDirOf(storage));
        await removeRestoreMarker(dataDir);
      },
      close: () => cleanup.close(),
    };
  });
}

async function openDocuments(storage: StorageOptions, log: Log): Promise<DocumentRestore> {
  if (storage.kind === 'embedded') return openSqliteRestore(storage.dataDir);
  const { openPostgresRestore } = await import('../../engines/postgres/backup/postgres-restore.js');
  return openPostgresRestore(storage.postgres, log);
}

async function openFiles(storage: StorageOptions, startOver: boolean, backup: string, log: Log): Promise<FileRestore> {
  if (storage.blobs.kind === 's3') {
    const { openObjectFileRestore } = await import('../../engines/s3/object-file-restore.js');
    return openObjectFileRestore(storage.blobs.s3, join(storage.dataDir, 'restore-staging'), startOver, log);
  }
  const dir = attachmentsDirOf(storage);
  if (isShared(storage)) await prepareDirectory(dir, startOver, backup);
  return openFileRestore(dir);
}

/** Whether the files are in a directory outside of the data directory. */
function isShared(storage: StorageOptions): boolean {
  return storage.kind === 'postgres' && storage.blobs.kind === 'files';
}

/** Makes this process the only one that uses the data directory, and marks it. */
async function lockForRestore(
  dataDir: string,
  startOver: boolean,
  backup: string,
  cleanup: CleanupStack,
): Promise<DataDirLock> {
  await checkFileKinds(dataDir);
  await makeDirectory(dataDir, 0o700);
  const lock = await lockDataDir(dataDir);
  if (!lock) throw new Error(`Another process is using the data directory ${dataDir}. Nothing was changed.`);
  cleanup.defer(() => lock.release());
  // Another restore may have been faster.
  await checkFree(dataDir, startOver);
  if (lock.identity && !isRestoreIncomplete(dataDir)) {
    throw new Error(
      `lock.sqlite in ${dataDir} says that the directory belongs to the logbook ${lock.identity.storeId}, whose other parts are missing. Nothing was changed. Choose another dataDir, or move lock.sqlite away if that logbook is lost. See also: ${commandFor('adopt', dataDir)}`,
    );
  }
  await markForRestore(dataDir, backup);
  return lock;
}

async function prepareDirectory(dir: string, startOver: boolean, backup: string): Promise<void> {
  await makeDirectory(dir, 0o700);
  await checkFree(dir, startOver);
  await markForRestore(dir, backup);
}

/** Marks a directory, and removes what an interrupted restore has left there: nothing else can be there. */
async function markForRestore(dir: string, backup: string): Promise<void> {
  await writeRestoreMarker(dir, backup);
  for (const name of await readdir(dir)) {
    if (!emptyNames.test(name) && name !== restoreMarker) await rm(join(dir, name), { recursive: true });
  }
}
