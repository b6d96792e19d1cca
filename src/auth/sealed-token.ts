import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Maximum length of a token. A longer one would not fit into the address at which the browser signs out. */
const maxTokenLength = 6_000;
const nonceBytes = 12;
const tagBytes = 16;
const tokenPurpose = 'id token of a session';

/**
 * Encrypts the id token of a session with the secret of the session. The secret is not stored, so a stolen database
 * does not reveal the token. Returns undefined for a token that is too long to be of use.
 */
export function sealToken(token: string, sessionSecret: string): string | undefined {
  if (token.length > maxTokenLength) return undefined;
  return sealSecret(token, sessionSecret, tokenPurpose);
}

/** Decrypts a result of `sealToken`. Undefined when it was sealed with another secret or is damaged. */
export function openToken(sealed: string, sessionSecret: string): string | undefined {
  return openSecret(sealed, sessionSecret, tokenPurpose);
}

/**
 * Encrypts a text with a long random secret.
 * @param purpose a text sealed for one purpose cannot be opened for another
 */
export function sealSecret(text: string, secret: string, purpose: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, purpose), nonce);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
}

/**
 * Decrypts a result of `sealSecret`. Undefined when it was sealed with another secret or for another purpose, or is
 * damaged.
 */
export function openSecret(sealed: string, secret: string, purpose: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, purpose), bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}
