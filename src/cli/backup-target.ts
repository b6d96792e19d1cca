import type { BackupOptions } from '../config/service-options.js';

/** @throws Error when no place of backups is configured or given */
export function requireTarget(target: BackupOptions['target']): NonNullable<BackupOptions['target']> {
  if (target) return target;
  throw new Error('No place of backups is given. Name a directory or s3://BUCKET/PREFIX, or set backupTarget.');
}
