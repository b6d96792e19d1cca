import { createHash } from 'node:crypto';

/** What is stored of a random secret: it is long enough that no salt and no slow hash is needed. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
