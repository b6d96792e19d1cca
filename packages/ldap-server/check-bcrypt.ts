import { compareSync } from 'bcryptjs';

export interface BcryptTask {
  readonly password: string;
  readonly hashes: readonly string[];
}

/** Runs in a worker thread, because one comparison blocks its thread for about 100 ms. */
export function checkBcrypt({ password, hashes }: BcryptTask): boolean[] {
  return hashes.map((hash) => compareSync(password, hash));
}
