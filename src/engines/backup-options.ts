import type { S3Options } from './s3/s3-options.js';

/** Where backups are. */
export type BackupTarget =
  /** Absolute path. */
  { readonly kind: 'directory'; readonly dir: string } | { readonly kind: 's3'; readonly s3: S3Options };
