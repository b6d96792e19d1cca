import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

/** The key of an operator, and the address at which readers of a signature find its public part. */
export interface ElnSigning {
  readonly privateKey: KeyObject;
  /** Address of the list of public keys. */
  readonly keysUrl: string;
}

/** Algorithm names of minisign for a key, and for a signature of the BLAKE2b-512 of a file. */
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

/** Returns the public part of a key in the form for `minisign -V -P …`. */
export function minisignPublicKey(privateKey: KeyObject): string {
  const raw = rawKey(privateKey);
  return Buffer.concat([ofKey, keyId(raw), raw]).toString('base64');
}

const rawKey = (privateKey: KeyObject): Buffer =>
  Buffer.from(String(createPublicKey(privateKey).export({ format: 'jwk' }).x), 'base64url');

/** Returns the id of a key, which is derived from the key so that it is the same in each archive. */
const keyId = (raw: Buffer): Buffer => hash('sha256', raw, 'buffer').subarray(0, keyIdBytes);
