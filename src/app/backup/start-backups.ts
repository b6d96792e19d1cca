import type { ServiceOptions } from '../../config/service-options.js';
import type { RedactionReader } from '../../entries/redaction-store.port.js';
import type { RequestMetrics } from '../../http/metrics.js';
import { type Clock, monotonicClock } from '../../kernel/clock.js';
import type { HealthSource } from '../../kernel/health.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import type { CleanupStack } from '../cleanup-stack.js';
import { logCreatedKey, openBackupSigner } from './backup-keys.js';
import { refuseNestedTarget } from './refuse-nested-target.js';

interface Deps {
  readonly jobs: JobRegistry;
  readonly metrics: RequestMetrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly redactions: RedactionReader;
}

/** Creates the key that signs backups while there is space for it, and records its public key on this node. */
export async function createBackupKey(
  { storage, backup: { target, keys } }: Pick<ServiceOptions, 'storage' | 'backup'>,
  log: Log,
): Promise<void> {
  if (!target && storage.kind !== 'embedded') return;
  try {
    const { created } = await openBackupSigner(storage, keys, log);
    if (created) logCreatedKey(log, created);
  } catch (error) {
    log.warn(
      { reason: (error as Error).message },
      'the key that signs backups cannot be used; the next backup will try',
    );
  }
}

/** Starts the scheduled backups. Returns undefined when none are configured. */
export async function startBackups(
  { jobs, metrics, log, clock, redactions }: Deps,
  { storage, backup, timeZone }: Pick<ServiceOptions, 'storage' | 'backup' | 'timeZone'>,
  cleanup: CleanupStack,
): Promise<HealthSource | undefined> {
  const { target, atMinutes, keys, retention, bytesPerSecond } = backup;
  if (!target || atMinutes === undefined) return undefined;
  await refuseNestedTarget(storage, target).catch((error: Error) => {
    // The health check then reports that each backup fails, but entries are written as usual.
    log.error({ reason: error.message }, 'no backups are made');
  });
  const { ScheduledBackup } = await import('./scheduled-backup.js');
  const backups = new ScheduledBackup(
    { storage, target, keys, retention, bytesPerSecond, mayCreate: false },
    { atMinutes, zone: timeZone },
    { log: log.child({ part: 'backup' }), clock, monotonic: monotonicClock, redactions },
  );
  metrics.gaugePer(
    'job',
    'logbook_backup_age_seconds',
    'Time since the newest backup was taken; absent until it is known, and in a cluster on the nodes that make none.',
    () => [['backup', backups.ageSeconds]],
  );
  const job = jobs.start(backups.job());
  job.trigger();
  cleanup.defer(() => job.stop());
  return backups;
}
