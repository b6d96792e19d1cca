import { type MadeBackup, makeBackup } from '../../backup/make-backup.js';
import { type RemovedBackups, removeExpired } from '../../backup/retention.js';
import type { Retention } from '../../backup/retention-options.js';
import type { BackupKeyOptions, BackupTargetOptions } from '../../engines/backup-options.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import { ByteRate } from '../../kernel/byte-rate.js';
import type { Log } from '../../kernel/log.js';
import { checkFileKinds } from '../check-file-kinds.js';
import { CleanupStack } from '../cleanup-stack.js';
import { type BackupSigner, openBackupSigner } from './backup-keys.js';
import { prepareRemoval } from './failed-backup.js';
import { noteNewestBackup } from './newest-backup.js';
import { openBackupTarget } from './open-backup-target.js';
import { openFileReader, openSnapshot } from './open-logbook-data.js';
import { refuseNestedTarget } from './refuse-nested-target.js';

export interface BackupRequest {
  readonly storage: StorageOptions;
  readonly target: BackupTargetOptions;
  readonly keys: BackupKeyOptions;
  /** Rules for keeping backups; undefined: all backups are kept. */
  readonly retention: Retention | undefined;
  /** Maximum number of bytes read, and sent to object storage, per second; undefined: no limit. */
  readonly bytesPerSecond: number | undefined;
  /** Whether a missing directory is created. */
  readonly mayCreate: boolean;
}

export interface BackupOutcome extends MadeBackup {
  readonly signer: BackupSigner;
  readonly removed: RemovedBackups;
}

export interface BackupRun {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: (copied: number, all: number) => void;
}

/**
 * Makes a backup of a logbook, which may be in use, and removes expired backups. With `mayCreate`, a failed backup
 * removes what it stored in a directory. A backup aborted by `signal` leaves its data, which the next backup reuses.
 * @throws Error when the target is inside the logbook, or the logbook inside the target
 */
export async function backUpLogbook(
  { storage, target, keys, retention, bytesPerSecond, mayCreate }: BackupRequest,
  { log, signal, onProgress }: BackupRun,
): Promise<BackupOutcome> {
  const cleanup = new CleanupStack();
  const removal = mayCreate && target.kind === 'directory' ? await prepareRemoval(target.dir) : undefined;
  let isMade = false;
  try {
    const outcome = await cleanup.guard(async () => {
      await checkFileKinds(storage.dataDir);
      await refuseNestedTarget(storage, target);
      const sending = new ByteRate(bytesPerSecond, signal);
      const access = { mode: 'write', mayCreate, dataDir: storage.dataDir, sending, log } as const;
      const opened = await openBackupTarget(target, access, cleanup);
      removal?.noteOpen(opened, signal);
      const files = cleanup.use(await openFileReader(storage, log));
      let signer: BackupSigner | undefined;
      const openSigner = async () => {
        signer = await openBackupSigner(storage, keys, log);
        return signer;
      };
      const made = await makeBackup({
        openSigner,
        openSnapshot: () => openSnapshot(storage, log),
        files,
        target: opened,
        signal,
        reading: new ByteRate(bytesPerSecond, signal),
        nowMs: Date.now,
        ...(onProgress && { onProgress }),
      }).catch(async (error: unknown) => {
        await removal?.removeObjects();
        throw error;
      });
      isMade = true;
      // A full disk of the logbook must not prevent backups.
      await noteNewestBackup(storage.dataDir, target, made.manifest.header).catch((error: Error) =>
        log.warn({ err: error }, 'the newest backup was not noted: its removal would go unnoticed'),
      );
      signer ??= await openSigner();
      const trust = { keys: signer.keys, acceptUnsigned: false };
      return { ...made, signer, removed: await removeExpired(opened, { keep: retention, trust, signal }) };
    });
    await cleanup.close();
    return outcome;
  } catch (error) {
    if (!isMade) await removal?.removeDirectory();
    throw error;
  }
}
