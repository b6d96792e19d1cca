import { findNewestSigned } from '../../backup/backup-list.js';
import type { DataFinding } from '../../backup/data-finding.js';
import { isFromFuture } from '../../backup/manifest.js';
import type { BackupHeader } from '../../backup/manifest-line.js';
import type { Log } from '../../kernel/log.js';
import { CleanupStack } from '../cleanup-stack.js';
import { type BackupRequest, backUpLogbook } from './back-up-logbook.js';
import { type CreatedKey, readBackupKeys } from './backup-keys.js';
import { describeLostBackup } from './newest-backup.js';
import { openBackupTarget } from './open-backup-target.js';

export interface BackupTask extends BackupRequest {
  readonly nowMs: number;
  /**
   * Time in milliseconds since the epoch. A backup from this time or later, but not in the future, makes another one
   * unnecessary.
   */
  readonly dueMs: number;
  /** Whether to make a backup; otherwise the target is only examined. */
  readonly mayMake: boolean;
}

export type BackupTaskResult =
  /** The target already contained a sufficiently new backup. */
  | { readonly kind: 'present'; readonly newestMs: number; readonly lost: string | undefined }
  /** No backup was sufficiently new, and `mayMake` was false. */
  | { readonly kind: 'absent'; readonly newestMs: number | undefined }
  | {
      readonly kind: 'made';
      readonly newestMs: number;
      /** Fields for the log. */
      readonly details: Readonly<Record<string, unknown>>;
      readonly findings: readonly DataFinding[];
      readonly createdKey: CreatedKey | undefined;
      /** Sentence about an earlier backup that someone has removed from the target; undefined when none is missing. */
      readonly lost: string | undefined;
    };

export async function runBackupTask(task: BackupTask, log: Log): Promise<BackupTaskResult> {
  const newest = await findNewest(task, log);
  const newestMs = newest?.takenMs;
  const lost = await describeLostBackup(task.storage.dataDir, task.target, newest);
  if (newestMs !== undefined && newestMs >= task.dueMs && !isFromFuture(newestMs, task.nowMs)) {
    return { kind: 'present', newestMs, lost };
  }
  if (!task.mayMake) return { kind: 'absent', newestMs };
  const startedMs = performance.now();
  const made = await backUpLogbook(task, { log, signal: new AbortController().signal });
  const { header, files } = made.manifest;
  return {
    kind: 'made',
    newestMs: header.takenMs,
    details: {
      backup: header.name,
      files: files.length,
      addedObjects: made.added,
      addedBytes: made.addedBytes,
      removedBackups: made.removed.backups,
      ...(made.removed.untrusted.length > 0 && { untrustedBackups: made.removed.untrusted }),
      // Backups are not removed while a manifest is damaged.
      ...(made.removed.damaged !== undefined && { damagedBackup: made.removed.damaged }),
      durationMs: Math.round(performance.now() - startedMs),
    },
    findings: made.findings,
    createdKey: made.signer.created,
    lost,
  };
}

async function findNewest({ target, storage, keys }: BackupTask, log: Log): Promise<BackupHeader | undefined> {
  const cleanup = new CleanupStack();
  const newest = await cleanup.guard(async () => {
    const access = { mode: 'read', mayCreate: false, dataDir: storage.dataDir, log } as const;
    const opened = await openBackupTarget(target, access, cleanup);
    return findNewestSigned(opened, await readBackupKeys(keys, [storage.dataDir]));
  });
  await cleanup.close();
  return newest;
}
