import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupTarget } from '../../backup/backup-target.port.js';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import { openDirectoryTarget } from '../../engines/files/directory-target.js';
import { lockDataDir } from '../../engines/sqlite/data-dir-lock.js';
import type { ByteRate } from '../../kernel/byte-rate.js';
import type { Log } from '../../kernel/log.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import type { CleanupStack } from '../cleanup-stack.js';

export interface TargetAccess {
  /** Access to the target. Only one process at a time can open it for `write`. */
  readonly mode: 'read' | 'write';
  /** Whether a missing directory is created. */
  readonly mayCreate: boolean;
  /** Directory for data that is staged before it is sent elsewhere. */
  readonly dataDir: string;
  /** Limit for the rate of uploads to object storage; undefined: no limit. */
  readonly sending?: ByteRate;
  readonly log: Log;
}

/**
 * Opens the backup target.
 * @throws Error when another process writes to the target, or the target contains other data
 */
export async function openBackupTarget(
  target: BackupTargetOptions,
  access: TargetAccess,
  cleanup: CleanupStack,
): Promise<BackupTarget> {
  if (target.kind === 's3') {
    const { openBucketTarget } = await import('../../engines/s3/bucket-target.js');
    // Each target has its own staging directory, because several backups to different targets can run concurrently.
    const name = createHash('sha256').update(describeTarget(target)).digest('hex').slice(0, 16);
    const stagingDir = join(access.dataDir, 'backup-staging', name);
    return cleanup.use(
      await openBucketTarget({
        s3: target.s3,
        stagingDir,
        mayWrite: access.mode === 'write',
        log: access.log,
        ...(access.sending && { sending: access.sending }),
      }),
    );
  }
  const { dir } = target;
  if (!access.mayCreate) await requireDirectory(dir);
  if (access.mode === 'write') {
    await makeDirectory(dir, 0o700);
    const lock = await lockDataDir(dir, 'lock-only');
    if (!lock) throw new Error(`Another process is writing a backup to ${dir}. Wait until it has finished.`);
    cleanup.defer(() => lock.release());
  }
  return cleanup.use(await openDirectoryTarget(dir, access.mode === 'write'));
}

/** Refuses a missing directory, because the mount point of an unmounted disk must not become a new target. */
async function requireDirectory(dir: string): Promise<void> {
  const found = await stat(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found?.isDirectory()) return;
  if (found) throw new Error(`The backup target, ${dir}, is a file. Name the directory that “logbook backup” made.`);
  throw new Error(
    `The directory of the backups, ${dir}, does not exist. Check that its disk is mounted. To create a new directory, run “logbook backup”.`,
  );
}

/** Returns the target as an operator would write it. */
export function describeTarget(target: BackupTargetOptions): string {
  return target.kind === 'directory' ? target.dir : `s3://${target.s3.bucket}/${target.s3.prefix}`.replace(/\/$/, '');
}
