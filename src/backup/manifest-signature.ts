import { type KeyObject, sign, verify } from 'node:crypto';
import { fingerprintOf } from '../kernel/signing-keys.js';

/** The signature in the last line of a manifest. */
export interface ManifestSignature {
  /** The fingerprint of the public key. */
  readonly key: string;
  /** Signature in base64. */
  readonly ed25519: string;
}

/** Content that a signature covers, so that a manifest cannot be used for another backup or another logbook. */
export interface SignedContent {
  readonly storeId: string;
  readonly name: string;
  readonly lines: number;
  readonly completedMs: number;
  /** The SHA-256 of all lines of the manifest except the last, in hexadecimal. */
  readonly sha256: string;
}

/** Whether the holder of a trusted key made a backup. */
export type Authenticity =
  | { readonly kind: 'signed' }
  /** Either an earlier version, which made no signatures, or an unknown person made the backup. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'unknown-key'; readonly key: string }
  | { readonly kind: 'forged'; readonly key: string };

export function signManifest(content: SignedContent, privateKey: KeyObject): ManifestSignature {
  return { key: fingerprintOf(privateKey), ed25519: sign(null, encode(content), privateKey).toString('base64') };
}

/** @param keys the public keys that are trusted */
export function authenticate(
  content: SignedContent,
  signature: ManifestSignature | undefined,
  keys: readonly KeyObject[],
): Authenticity {
  if (typeof signature?.key !== 'string' || typeof signature.ed25519 !== 'string') return { kind: 'unsigned' };
  const key = keys.find((one) => fingerprintOf(one) === signature.key);
  if (!key) return { kind: 'unknown-key', key: signature.key.slice(0, 80) };
  const isRight = verify(null, encode(content), key, Buffer.from(signature.ed25519, 'base64'));
  return isRight ? { kind: 'signed' } : { kind: 'forged', key: signature.key };
}

/** Returns a clause that says why a backup is not trusted. @param keys the public keys that are trusted */
export function describeDistrust(
  authenticity: Exclude<Authenticity, { kind: 'signed' }>,
  keys: readonly KeyObject[],
): string {
  const listed = `${keys.length === 1 ? 'key is' : 'keys are'} ${keys.map(fingerprintOf).join(', ')}`;
  const known = keys.length === 0 ? 'no public key is known here' : `the known ${listed}`;
  switch (authenticity.kind) {
    case 'unsigned':
      return 'it has no signature, so it was made by an earlier version of the program or by someone without the key';
    case 'unknown-key':
      return `it is signed with the key ${authenticity.key}, and ${known}`;
    case 'forged':
      return `its signature by the key ${authenticity.key} is wrong: it was changed after it was signed, or copied from another backup`;
  }
}

function encode({ storeId, name, lines, completedMs, sha256 }: SignedContent): Buffer {
  return Buffer.from(['logbook-backup 1', storeId, name, lines, completedMs, sha256, ''].join('\n'));
}
