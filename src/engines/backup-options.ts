import type { S3Options } from './s3/s3-options.js';

export type BackupTargetOptions =
  /** Absolute path. */
  { readonly kind: 'directory'; readonly dir: string } | { readonly kind: 's3'; readonly s3: S3Options };

export interface BackupKeyOptions {
  /** The private key of the operator; undefined: the logbook has a key of its own. */
  readonly signingKeyFile: string | undefined;
  /** The public keys that are trusted; undefined: those that are recorded in the data directory. */
  readonly publicKeyFile: string | undefined;
}
