import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Account } from './accounts.js';
import type { Credentials } from './authentication-provider.port.js';

const maxRemembered = 10_000;

interface Asked {
  readonly account: Account;
  /** Whether it costs enough to be remembered. */
  readonly worthIt: boolean;
}

/**
 * Programs send name and password with every request; a directory is not to be asked each time. Successful sign-ins
 * are remembered for a short time, by a keyed hash that is worthless outside of this process; requests that arrive
 * together share one question. Each address has its own memory: to others it would tell a right guess.
 */
export class CredentialCache {
  private readonly key = randomBytes(32);
  private readonly known: LRUCache<string, Account>;
  private readonly asking = new Map<string, Promise<Account>>();

  /** @param forMs a password that the directory no longer takes is taken for so long at most; 0: not at all */
  constructor(private readonly forMs: number) {
    this.known = new LRUCache({ max: maxRemembered, ttl: Math.max(1, forMs) });
  }

  /** @param network where the credentials come from */
  recall(credentials: Credentials, network: string, ask: () => Promise<Asked>): Promise<Account> {
    const hash = createHmac('sha256', this.key)
      .update(JSON.stringify([credentials.userName, credentials.password, network]))
      .digest('base64');
    const known = this.known.get(hash);
    if (known) return Promise.resolve(known);
    let asking = this.asking.get(hash);
    if (!asking) {
      asking = this.askOnce(hash, ask).finally(() => this.asking.delete(hash));
      this.asking.set(hash, asking);
    }
    return asking;
  }

  private async askOnce(hash: string, ask: () => Promise<Asked>): Promise<Account> {
    const { account, worthIt } = await ask();
    if (worthIt && this.forMs > 0) this.known.set(hash, account);
    return account;
  }
}
