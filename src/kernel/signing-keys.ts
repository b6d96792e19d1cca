import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';

/** An Ed25519 key pair in PEM. */
export interface SigningKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

export function createSigningKeys(): SigningKeys {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** @throws Error when the text is not an Ed25519 key in PEM */
export function readPrivateKey(pem: string): KeyObject {
  return readKey(() => createPrivateKey(pem), 'private');
}

/** @throws Error when the text is not an Ed25519 key in PEM */
export function readPublicKey(pem: string): KeyObject {
  return readKey(() => createPublicKey(pem), 'public');
}

const publicKeyPem = /-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g;

/** Reads all public keys of a file. @throws Error when it contains none, or one that is not an Ed25519 key in PEM */
export function readPublicKeys(text: string): KeyObject[] {
  // A private key is refused: its public half could be derived, but it does not belong in this file.
  const pems = text.match(publicKeyPem) ?? [''];
  return pems.map(readPublicKey);
}

/** Returns the public half in PEM. @param key private or public key */
export function publicPemOf(key: KeyObject): string {
  return String(publicHalfOf(key).export({ type: 'spki', format: 'pem' }));
}

/** Returns the fingerprint of a key, such as `SHA256:…`. @param key private or public key */
export function fingerprintOf(key: KeyObject): string {
  return `SHA256:${hash('sha256', rawPublicKey(publicHalfOf(key)), 'base64url')}`;
}

/** Returns the 32 bytes of a public key. */
function rawPublicKey(publicKey: KeyObject): Buffer {
  return Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
}

export function publicHalfOf(key: KeyObject): KeyObject {
  return key.type === 'public' ? key : createPublicKey(key);
}

function readKey(read: () => KeyObject, kind: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch {
    // The error below names the problem without quoting the file.
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw new Error(`it holds no ${kind} Ed25519 key in PEM`);
  return key;
}
