import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 under which a secret is stored, in lower-case hex. The service's secrets are random and long, so
 * they need neither a salt nor a slow hash.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
