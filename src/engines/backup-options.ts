import type { S3Options } from './s3/s3-options.js';

export type BackupTargetOptions =
  /** Absolute path. */
  { readonly kind: 'directory'; readonly dir: string } | { readonly kind: 's3'; readonly s3: S3Options };

export interface BackupKeyOptions {
  /** Private key of the operator; undefined: the logbook uses its own key. */
  readonly signingKeyFile: string | undefined;
  /** Trusted public keys; undefined: those recorded in the data directory. */
  readonly publicKeyFile: string | undefined;
}
