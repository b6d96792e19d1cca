import type { BackupTrust } from '../../backup/backup-trust.js';
import { type PrunedBackups, pruneBackups } from '../../backup/prune-backups.js';
import type { Retention } from '../../backup/retention-options.js';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import type { Log } from '../../kernel/log.js';
import { CleanupStack } from '../cleanup-stack.js';
import { openBackupTarget } from './open-backup-target.js';

export interface PruneRequest {
  readonly target: BackupTargetOptions;
  readonly retention: Retention;
  readonly trust: BackupTrust;
  readonly dataDir: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Removes the expired backups from a target.
 * @throws as `pruneBackups`
 */
export async function pruneTarget({
  target,
  retention,
  trust,
  dataDir,
  log,
  signal,
}: PruneRequest): Promise<PrunedBackups> {
  const cleanup = new CleanupStack();
  const pruned = await cleanup.guard(async () => {
    const opened = await openBackupTarget(target, { mode: 'write', mayCreate: false, dataDir, log }, cleanup);
    return pruneBackups(opened, retention, trust, signal);
  });
  await cleanup.close();
  return pruned;
}
