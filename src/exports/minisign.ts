import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

/** The key of an operator, and how readers of a signature find its public part. */
export interface ElnSigning {
  readonly privateKey: KeyObject;
  /** Address of the list of public keys. */
  readonly keysUrl: string;
}

/** Algorithms of minisign: of a key, and of a signature of the BLAKE2b-512 of a file. */
const [ofKey, ofHash] = [Buffer.from('Ed'), Buffer.from('ED')];
const keyIdBytes = 8;

/**
 * Returns the signature of a file in the format of minisign.
 * @param digest the BLAKE2b-512 of the file
 */
export function signDigest(digest: Buffer, { privateKey, keysUrl }: ElnSigning): string {
  const signature = sign(null, digest, privateKey);
  const named = Buffer.concat([ofHash, keyId(rawKey(privateKey)), signature]);
  const both = sign(null, Buffer.concat([signature, Buffer.from(keysUrl)]), privateKey);
  return [
    'untrusted comment: signature of ro-crate-metadata.json',
    named.toString('base64'),
    `trusted comment: ${keysUrl}`,
    both.toString('base64'),
    '',
  ].join('\n');
}

/** Returns the public part of a key as minisign takes it: `minisign -V -P …`. */
export function minisignPublicKey(privateKey: KeyObject): string {
  const raw = rawKey(privateKey);
  return Buffer.concat([ofKey, keyId(raw), raw]).toString('base64');
}

const rawKey = (privateKey: KeyObject): Buffer =>
  Buffer.from(String(createPublicKey(privateKey).export({ format: 'jwk' }).x), 'base64url');

/** The same key has the same id in each archive. */
const keyId = (raw: Buffer): Buffer => hash('sha256', raw, 'buffer').subarray(0, keyIdBytes);
