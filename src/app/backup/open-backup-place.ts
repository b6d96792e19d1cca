import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupPlace } from '../../backup/backup-place.port.js';
import type { BackupTarget } from '../../engines/backup-options.js';
import { openDirectoryPlace } from '../../engines/files/directory-place.js';
import { lockDataDir } from '../../engines/sqlite/data-dir-lock.js';
import type { ByteRate } from '../../kernel/byte-rate.js';
import type { Log } from '../../kernel/log.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import type { CleanupStack } from '../cleanup-stack.js';

export interface PlaceAccess {
  /** `write`: for one process at a time. */
  readonly mode: 'read' | 'write';
  /** Whether a directory that does not exist is created. */
  readonly mayCreate: boolean;
  /** Directory for data that are staged before they are sent elsewhere. */
  readonly dataDir: string;
  /** Limit for the rate of uploads to object storage; undefined: no limit. */
  readonly sending?: ByteRate;
  readonly log: Log;
}

/**
 * Opens the place of backups.
 * @throws Error when another process writes there, or something else is there
 */
export async function openBackupPlace(
  target: BackupTarget,
  access: PlaceAccess,
  cleanup: CleanupStack,
): Promise<BackupPlace> {
  if (target.kind === 's3') {
    const { openBucketPlace } = await import('../../engines/s3/bucket-place.js');
    // Each place its own: backups to several places may be made at the same time.
    const name = createHash('sha256').update(describeTarget(target)).digest('hex').slice(0, 16);
    const stagingDir = join(access.dataDir, 'backup-staging', name);
    return cleanup.use(
      await openBucketPlace({
        ...{ s3: target.s3, stagingDir, mayWrite: access.mode === 'write', log: access.log },
        ...(access.sending && { sending: access.sending }),
      }),
    );
  }
  const { dir } = target;
  if (!access.mayCreate) await requireDirectory(dir);
  if (access.mode === 'write') {
    await makeDirectory(dir, 0o700);
    const lock = await lockDataDir(dir, 'lock-only');
    if (!lock) throw new Error(`Another process is writing a backup to ${dir}. Wait until it has ended.`);
    cleanup.defer(() => lock.release());
  }
  return cleanup.use(await openDirectoryPlace(dir, access.mode === 'write'));
}

/** A disk that is not mounted must not be taken for a new place. */
async function requireDirectory(dir: string): Promise<void> {
  const found = await stat(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found?.isDirectory()) return;
  if (found)
    throw new Error(`The place of the backups, ${dir}, is a file. Name the directory that “logbook backup” made.`);
  throw new Error(
    `The directory of the backups, ${dir}, does not exist. Check that its disk is mounted. A new one is created by “logbook backup”.`,
  );
}

/** The target as an operator writes it. */
export function describeTarget(target: BackupTarget): string {
  return target.kind === 'directory' ? target.dir : `s3://${target.s3.bucket}/${target.s3.prefix}`.replace(/\/$/, '');
}
