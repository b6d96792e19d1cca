import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/** Keys of a browser, as it sent them when it subscribed. */
export interface BrowserKeys {
  /** Public key of the browser: an uncompressed point of P-256. */
  readonly publicKey: Buffer;
  /** Secret of the browser, 16 bytes. */
  readonly secret: Buffer;
}

/** Maximum length of a message in bytes: push services accept bodies of 4,096 bytes. */
export const maxMessageBytes = 3_993;

/** Whether messages can be encrypted with these keys. */
export function areBrowserKeys({ publicKey, secret }: BrowserKeys): boolean {
  if (secret.length !== 16 || publicKey.length !== 65) return false;
  try {
    newKeyPair().computeSecret(publicKey);
    return true;
  } catch {
    return false;
  }
}

/**
 * Encrypts a message for a browser. Returns the body of the request to its push service.
 * @param own key pair and salt; passed only by tests, because each message needs new ones
 */
export function encryptMessage(
  message: Buffer,
  { publicKey, secret }: BrowserKeys,
  own: { readonly keyPair: ECDH; readonly salt: Buffer } = { keyPair: newKeyPair(), salt: randomBytes(16) },
): Buffer {
  if (message.length > maxMessageBytes) throw new RangeError(`the message has ${message.length} bytes`);
  const ownPublic = own.keyPair.getPublicKey();
  const shared = own.keyPair.computeSecret(publicKey);
  const context = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, ownPublic]);
  const material = derive(shared, secret, context, 32);
  const key = derive(material, own.salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(material, own.salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The byte 2 marks the end of the last record.
  const encrypted = [cipher.update(message), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([own.salt, recordSize, Buffer.of(ownPublic.length), ownPublic, ...encrypted]);
}

/** Size of a record: 4,096, as a 32-bit number. */
const recordSize = Buffer.of(0, 0, 16, 0);

function newKeyPair(): ECDH {
  const keyPair = createECDH('prime256v1');
  keyPair.generateKeys();
  return keyPair;
}

const derive = (material: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(hkdfSync('sha256', material, salt, info, length));
