import type { OwnedDirectories } from '../app/keep-owner.js';
import type { BackupOptions, ServiceOptions } from '../config/service-options.js';
import { UsageError } from './usage-error.js';

/** @throws UsageError when no backup target is configured or given */
export function requireTarget(target: BackupOptions['target']): NonNullable<BackupOptions['target']> {
  if (target) return target;
  throw new UsageError('No backup target is given. Name a directory or s3://BUCKET/PREFIX, or set backupTarget.');
}

/** Returns the directories to which a backup command writes as the owner of the data directory. */
export function directoriesOf(
  { dataDir }: ServiceOptions['storage'],
  target: BackupOptions['target'],
): OwnedDirectories {
  const targets = target?.kind === 'directory' ? [target.dir] : [];
  return { ownedBy: [dataDir, ...targets], written: [dataDir, ...targets] };
}
