import type { BackupTrust } from '../../backup/backup-trust.js';
import { type PrunedBackups, pruneBackups } from '../../backup/prune-backups.js';
import type { Retention } from '../../backup/retention-options.js';
import type { BackupTarget } from '../../engines/backup-options.js';
import type { Log } from '../../kernel/log.js';
import { CleanupStack } from '../cleanup-stack.js';
import { openBackupPlace } from './open-backup-place.js';

export interface PruneRequest {
  readonly target: BackupTarget;
  readonly retention: Retention;
  readonly trust: BackupTrust;
  readonly dataDir: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Removes the backups in a place that are no longer kept. @throws as `pruneBackups` */
export async function prunePlace({
  target,
  retention,
  trust,
  dataDir,
  log,
  signal,
}: PruneRequest): Promise<PrunedBackups> {
  const cleanup = new CleanupStack();
  const pruned = await cleanup.guard(async () => {
    const place = await openBackupPlace(target, { mode: 'write', mayCreate: false, dataDir, log }, cleanup);
    return pruneBackups(place, retention, trust, signal);
  });
  await cleanup.close();
  return pruned;
}
