import { isUtf8 } from 'node:buffer';
import { Piscina } from 'piscina';
import { type BcryptTask, checkBcrypt } from './check-bcrypt.js';
import { Refusal, resultCode } from './result.js';
import { dummyHashOf, formOf, isSameDigest, type UserPassword } from './user-password.js';

const maxWaiting = 128;

/**
 * Compares passwords. Every check does the same work, whoever it is for: as many comparisons of each form as the
 * entry with the most of them needs, so that the time tells nothing about a name.
 */
export class PasswordCheck {
  /** What each check compares when the entry has nothing of that form. */
  private readonly decoys: readonly UserPassword[];
  private readonly threads: Piscina<BcryptTask, boolean[]> | undefined;
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(passwordsOfEntries: Iterable<readonly UserPassword[]>, log: (message: string, error: unknown) => void) {
    this.decoys = decoysFor(passwordsOfEntries);
    if (this.decoys.some(({ kind }) => kind === 'bcrypt')) {
      this.threads = new Piscina<BcryptTask, boolean[]>({
        filename: new URL('./check-bcrypt.js', import.meta.url).href,
        name: checkBcrypt.name,
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: 60_000,
      });
      this.threads.on('error', (error) => log('the thread that checks passwords failed', error));
    }
  }

  /**
   * @param passwords of the entry; none when there is no such entry
   * @param signal says that nobody waits for the answer any more
   * @throws Refusal busy
   */
  async isOneOf(passwords: readonly UserPassword[], password: Buffer, signal: AbortSignal): Promise<boolean> {
    const compared = this.comparedFor(passwords);
    const digests = compared.map((stored) => stored.kind !== 'bcrypt' && isSameDigest(stored, password));
    const hashes = compared.flatMap((stored) => (stored.kind === 'bcrypt' ? [stored.hash] : []));
    const bcrypts = await this.compareBcrypt(password, hashes, signal);
    // The decoys are behind the real ones, in both lists.
    const realHashes = passwords.filter(({ kind }) => kind === 'bcrypt').length;
    return digests.slice(0, passwords.length).includes(true) || bcrypts.slice(0, realHashes).includes(true);
  }

  async close(): Promise<void> {
    await this.threads?.destroy();
  }

  /** What a password is compared with for an entry: first its own, then decoys. */
  comparedFor(passwords: readonly UserPassword[]): UserPassword[] {
    const forms = passwords.map(formOf);
    const decoys = this.decoys.filter((decoy) => {
      const at = forms.indexOf(formOf(decoy));
      if (at >= 0) forms.splice(at, 1);
      return at < 0;
    });
    return [...passwords, ...decoys];
  }

  /** One after the other, so that those whose client is gone need not be computed. */
  private async compareBcrypt(password: Buffer, hashes: string[], signal: AbortSignal): Promise<boolean[]> {
    const { threads } = this;
    if (!threads || hashes.length === 0) return [];
    if (this.waiting >= maxWaiting) {
      throw new Refusal(resultCode.busy, 'Too many passwords are waiting to be checked. Try again in a moment.');
    }
    this.waiting += 1;
    const check = this.last.then(() => (signal.aborted ? [] : threads.run({ password: password.toString(), hashes })));
    this.last = check.catch(() => undefined);
    try {
      const results = await check;
      return results.map((isSame) => isSame && isUtf8(password));
    } finally {
      this.waiting -= 1;
    }
  }
}

function decoysFor(passwordsOfEntries: Iterable<readonly UserPassword[]>): UserPassword[] {
  const most = new Map<string, UserPassword[]>();
  for (const passwords of passwordsOfEntries) {
    for (const form of new Set(passwords.map(formOf))) {
      const ofForm = passwords.filter((password) => formOf(password) === form);
      if (ofForm.length > (most.get(form)?.length ?? 0)) most.set(form, ofForm.map(dummyHashOf));
    }
  }
  return [...most.values()].flat();
}
