import { isUtf8 } from 'node:buffer';
import { Piscina } from 'piscina';
import { type BcryptTask, checkBcrypt } from './check-bcrypt.js';
import { LdapResultError, resultCode } from './result.js';
import { costKey, matchesDigest, toDummyHash, type UserPassword } from './user-password.js';

const maxQueuedChecks = 128;

/**
 * Compares passwords. Every check makes the same comparisons for any entry, so that its duration does not reveal
 * whether a user exists. For each cost, it makes as many comparisons as the entry with the most passwords of that cost
 * needs.
 */
export class PasswordCheck {
  /** Hashes that are compared instead of the passwords that an entry lacks. */
  private readonly dummyHashes: readonly UserPassword[];
  private readonly worker: Piscina<BcryptTask, boolean[]> | undefined;
  private queuedChecks = 0;
  private lastCheck: Promise<unknown> = Promise.resolve();

  constructor(passwordsOfEntries: Iterable<readonly UserPassword[]>, log: (message: string, error: unknown) => void) {
    this.dummyHashes = createDummyHashes(passwordsOfEntries);
    if (this.dummyHashes.some(({ kind }) => kind === 'bcrypt')) {
      this.worker = new Piscina<BcryptTask, boolean[]>({
        filename: new URL('./check-bcrypt.js', import.meta.url).href,
        name: checkBcrypt.name,
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: 60_000,
      });
      this.worker.on('error', (error) => log('LDAP password worker failed', error));
    }
  }

  /**
   * Returns whether one of the stored passwords matches.
   * @param stored passwords of the entry; empty when there is no such entry
   * @param signal skips the bcrypt comparison if it aborts before the comparison starts
   * @throws LdapResultError busy
   */
  async matchesAny(stored: readonly UserPassword[], password: Buffer, signal: AbortSignal): Promise<boolean> {
    const compared = this.addDummyHashes(stored);
    const digestMatches = compared.map((hash) => hash.kind !== 'bcrypt' && matchesDigest(hash, password));
    const bcryptHashes = compared.flatMap((hash) => (hash.kind === 'bcrypt' ? [hash.hash] : []));
    const bcryptMatches = await this.compareBcrypt(password, bcryptHashes, signal);
    // Dummy hashes come last in both lists, and their results are ignored.
    const bcryptCount = stored.filter(({ kind }) => kind === 'bcrypt').length;
    return digestMatches.slice(0, stored.length).includes(true) || bcryptMatches.slice(0, bcryptCount).includes(true);
  }

  async close(): Promise<void> {
    await this.worker?.destroy();
  }

  addDummyHashes(stored: readonly UserPassword[]): UserPassword[] {
    const costs = stored.map(costKey);
    const missing = this.dummyHashes.filter((dummy) => {
      const index = costs.indexOf(costKey(dummy));
      if (index >= 0) costs.splice(index, 1);
      return index < 0;
    });
    return [...stored, ...missing];
  }

  /** Runs one comparison at a time, so that those of disconnected clients can be skipped. */
  private async compareBcrypt(password: Buffer, hashes: string[], signal: AbortSignal): Promise<boolean[]> {
    const { worker } = this;
    if (!worker || hashes.length === 0) return [];
    if (this.queuedChecks >= maxQueuedChecks) {
      throw new LdapResultError(resultCode.busy, 'Too many password checks are queued. Try again in a moment.');
    }
    this.queuedChecks += 1;
    const task = { password: password.toString(), hashes };
    const check = this.lastCheck.then(() => (signal.aborted ? [] : worker.run(task)));
    this.lastCheck = check.catch(() => undefined);
    try {
      const matches = await check;
      return isUtf8(password) ? matches : [];
    } finally {
      this.queuedChecks -= 1;
    }
  }
}

function createDummyHashes(passwordsOfEntries: Iterable<readonly UserPassword[]>): UserPassword[] {
  const largest = new Map<string, UserPassword[]>();
  for (const passwords of passwordsOfEntries) {
    for (const cost of new Set(passwords.map(costKey))) {
      const group = passwords.filter((password) => costKey(password) === cost);
      if (group.length > (largest.get(cost)?.length ?? 0)) largest.set(cost, group.map(toDummyHash));
    }
  }
  return [...largest.values()].flat();
}
