import type { KeyObject } from 'node:crypto';
import { type DataFinding, notice, problem } from './data-finding.js';
import type { ReadManifest } from './manifest.js';
import { describeDistrust } from './manifest-signature.js';

export interface BackupTrust {
  /** Public keys whose signatures on backups are trusted. */
  readonly keys: readonly KeyObject[];
  /** Whether backups without a valid signature are accepted, which anyone with write access to the target can make. */
  readonly acceptUnsigned: boolean;
}

export function isTrusted({ authenticity }: ReadManifest, { acceptUnsigned }: BackupTrust): boolean {
  return acceptUnsigned || authenticity.kind === 'signed';
}

/**
 * Returns undefined for a backup with a valid signature; else a finding, which is a notice if unsigned backups are
 * accepted.
 */
export function findDistrust(
  { header, authenticity }: ReadManifest,
  { keys, acceptUnsigned }: BackupTrust,
): DataFinding | undefined {
  if (authenticity.kind === 'signed') return undefined;
  const subject = `the backup ${header.name}`;
  const what = describeDistrust(authenticity, keys);
  if (acceptUnsigned) return notice(subject, what, 'It was accepted.');
  const advice = {
    unsigned:
      'If you know that an earlier version of the program made it, --accept-unsigned uses it; newer backups are signed.',
    'unknown-key': 'Give the public key of the logbook with --backup-public-key, if it is this one.',
    forged: 'Find out who changed the backup target, and use another backup.',
  }[authenticity.kind];
  return problem(subject, what, advice);
}

/** Thrown when a backup is refused because nothing proves who made it. */
export class UntrustedBackup extends Error {
  constructor(manifest: ReadManifest, { keys }: BackupTrust, newestSigned: string | undefined) {
    const { authenticity, header } = manifest;
    const why = authenticity.kind === 'signed' ? '' : describeDistrust(authenticity, keys);
    const instead =
      newestSigned === undefined
        ? ''
        : ` The newest one with a valid signature is ${newestSigned}: restore it with --backup ${newestSigned}.`;
    const giveKey =
      authenticity.kind === 'unknown-key'
        ? ' Give the public key of the logbook with --backup-public-key FILE: a copy of backup-key.pub of the data directory, or of the key of the operator.'
        : '';
    super(
      `The backup ${header.name} is not trusted: ${why}. Nothing was written.${giveKey}${instead} If you know that no one else has written to the backup target, --accept-unsigned restores the backup without any credentials.`,
    );
  }
}
