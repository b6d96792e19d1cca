import { existsSync } from 'node:fs';
import { access, constants, lstat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { findNewestSigned, getManifest } from '../../backup/backup-list.js';
import { isFromFuture } from '../../backup/manifest.js';
import type { ServiceOptions } from '../../config/service-options.js';
import { lockDataDir, lockFile } from '../../engines/sqlite/data-dir-lock.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import { describeFileError } from '../../kernel/file-error.js';
import type { Log } from '../../kernel/log.js';
import { describeDuration } from '../../kernel/text.js';
import { readBackupKeys } from '../backup/backup-keys.js';
import { describeLostBackup, lostBackupAdvice } from '../backup/newest-backup.js';
import { describeTarget, openBackupTarget } from '../backup/open-backup-target.js';
import { refuseNestedTarget } from '../backup/refuse-nested-target.js';
import { refuseIncompleteRestore } from '../backup/restore-marker.js';
import { checkFileKinds } from '../check-file-kinds.js';
import { CleanupStack } from '../cleanup-stack.js';
import { refuseForeignDirectory } from '../refuse-foreign-directory.js';
import { checkDataDir, isLogMissing, isOlderCopy, readDataDir } from '../storage-identity.js';
import { type Diagnosis, dayMs } from './diagnosis.js';

/** Checks the data directory. `isInUse` tells whether a process, such as the service, has it open. */
export async function checkDataDirectory(
  storage: StorageOptions,
): Promise<{ readonly isInUse: boolean; readonly diagnosis: Diagnosis }> {
  const { dataDir } = storage;
  const done = (status: Diagnosis['status'], text: string, advice?: string, isInUse = false) => ({
    isInUse,
    diagnosis: { check: 'data', status, text, ...(advice !== undefined && { advice }) },
  });
  const refusal = await lstat(join(dataDir, lockFile)).catch((error: NodeJS.ErrnoException) => error);
  if (refusal instanceof Error && refusal.code === 'EACCES') {
    const text = `${dataDir} cannot be examined. ${describeFileError(refusal)}`;
    return done('problem', text, 'Run “logbook doctor” as the user of the service.');
  }
  if (!existsSync(join(dataDir, lockFile))) {
    const foreign = await refuseForeignDirectory(dataDir).catch((error: Error) => error.message);
    if (foreign !== undefined) return done('problem', foreign, 'The service cannot start like this.');
    return existsSync(dataDir)
      ? done('ok', `${dataDir} has no logbook yet; the first start creates it`)
      : done('ok', `${dataDir} does not exist yet; the first start creates it`);
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    await checkFileKinds(dataDir);
    const lock = await lockDataDir(dataDir);
    if (!lock) return done('ok', `${dataDir} is in use by a running process`, undefined, true);
    try {
      refuseIncompleteRestore(dataDir);
      if (storage.kind === 'postgres') return done('ok', `${dataDir} belongs to a node; no service uses it now`);
      const contents = await readDataDir(dataDir, lock, storage.blobs.kind);
      checkDataDir(contents);
      const lost = isLogMissing(contents)
        ? 'the write-ahead log of the last run is missing'
        : isOlderCopy(contents) && 'the database is not the one of the last run';
      if (lost)
        return done('warning', `${dataDir}: ${lost}`, 'See docs/operator/data-directory.md before the next start.');
      return done('ok', `the parts of ${dataDir} belong together; no service uses it now`);
    } finally {
      lock.release();
    }
  } catch (error) {
    return done('problem', describe(error), 'The service cannot start like this.');
  }
}

const describe = (error: unknown): string => describeFileError(error) ?? (error as Error).message;

/**
 * Free space below which an operator should act: this size, or this share of a smaller disk. `veryLowBytes` is the
 * limit below which the operator must act immediately.
 */
const low = { bytes: 2_147_483_648, share: 0.05 };
const veryLowBytes = 268_435_456;

/** Checks the free space of each disk with data of the service. */
export async function* checkDisks({ storage, backup }: ServiceOptions): AsyncGenerator<Diagnosis> {
  const directories = [
    storage.dataDir,
    ...(storage.kind === 'postgres' && storage.blobs.kind === 'files' ? [storage.attachmentsDir] : []),
    ...(backup.target?.kind === 'directory' ? [backup.target.dir] : []),
  ];
  for (const dir of directories) {
    const disk = await statfs(dir).catch(() => undefined);
    // Other checks report a missing directory.
    if (!disk) continue;
    const [freeBytes, sizeBytes] = [disk.bavail * disk.bsize, disk.blocks * disk.bsize];
    const text = `${Math.floor(freeBytes / 1_048_576)} MB are free for ${dir}`;
    if (freeBytes >= Math.min(low.bytes, sizeBytes * low.share)) yield { check: 'disk', status: 'ok', text };
    else {
      const status = freeBytes < Math.min(veryLowBytes, sizeBytes * low.share) ? 'problem' : 'warning';
      yield { check: 'disk', status, text, advice: 'Free some space, or give the disk more.' };
    }
  }
}

/** Age above which a daily backup is late. */
const lateMs = 26 * 3_600_000;
const oldMs = 7 * dayMs;

/** Checks the age of the newest backup. */
export async function checkBackup({ storage, backup }: ServiceOptions, log: Log, nowMs: number): Promise<Diagnosis> {
  const { target, atMinutes } = backup;
  const check = 'backup';
  if (!target) {
    const advice = 'Set backupTarget and backupAt, see docs/operator/backup.md.';
    return { check, status: 'warning', text: 'no backups are configured', advice };
  }
  const cleanup = new CleanupStack();
  try {
    await refuseNestedTarget(storage, target);
    const access = { mode: 'read', mayCreate: false, dataDir: storage.dataDir, log } as const;
    const opened = await openBackupTarget(target, access, cleanup);
    const signed = await findNewestSigned(opened, await readBackupKeys(backup.keys, [storage.dataDir]));
    const lost = await describeLostBackup(storage.dataDir, target, signed);
    if (lost !== undefined) return { check, status: 'problem', text: lost, advice: lostBackupAdvice };
    // `getManifest` throws when there is no backup at all.
    const { takenMs } = signed ?? (await getManifest(opened, [])).header;
    if (isFromFuture(takenMs, nowMs)) {
      const future = `the newest backup in ${describeTarget(target)} is from ${new Date(takenMs).toISOString()}: a clock was or is wrong`;
      return { check, status: 'problem', text: future, advice: 'Correct the clock, then run “logbook backup”.' };
    }
    const text = `the newest backup in ${describeTarget(target)} is ${describeDuration(nowMs - takenMs)} old`;
    const advice = 'Run “logbook backup”. The log of the service says why the scheduled one is missing.';
    if (nowMs - takenMs > oldMs) return { check, status: 'problem', text, advice };
    const isLate = atMinutes !== undefined && nowMs - takenMs > lateMs;
    return isLate ? { check, status: 'warning', text, advice } : { check, status: 'ok', text };
  } catch (error) {
    return { check, status: 'problem', text: describe(error), advice: 'Correct this, then run “logbook backup”.' };
  } finally {
    await cleanup.close();
  }
}
