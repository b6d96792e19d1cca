import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Account } from './accounts.js';
import type { Credentials } from './authentication-provider.port.js';

const maxCached = 10_000;

interface CheckedCredentials {
  readonly account: Account;
  /** True when the check was expensive enough to cache its result. */
  readonly isCacheable: boolean;
}

/**
 * Caches accepted credentials for a short time, because programs send name and password with every request and a
 * directory should not be queried each time. The key is a keyed hash that is useless outside this process. Concurrent
 * requests with the same credentials share one check. Each network has its own cache entries: otherwise the response
 * time would tell a client elsewhere that it has guessed a password.
 */
export class CredentialCache {
  private readonly key = randomBytes(32);
  private readonly accounts: LRUCache<string, Account>;
  private readonly inFlight = new Map<string, Promise<Account>>();

  /** @param ttlMs how long a password is accepted at most after the directory has changed it; 0: nothing is cached */
  constructor(private readonly ttlMs: number) {
    this.accounts = new LRUCache({ max: maxCached, ttl: Math.max(1, ttlMs) });
  }

  /**
   * Returns the cached account of the credentials, else the result of `check`. Rejects with what `check` throws.
   * @param network where the credentials come from
   */
  getOrCheck(credentials: Credentials, network: string, check: () => Promise<CheckedCredentials>): Promise<Account> {
    const hash = createHmac('sha256', this.key)
      .update(JSON.stringify([credentials.userName, credentials.password, network]))
      .digest('base64');
    const cached = this.accounts.get(hash);
    if (cached) return Promise.resolve(cached);
    let checking = this.inFlight.get(hash);
    if (!checking) {
      checking = this.checkAndCache(hash, check).finally(() => this.inFlight.delete(hash));
      this.inFlight.set(hash, checking);
    }
    return checking;
  }

  private async checkAndCache(hash: string, check: () => Promise<CheckedCredentials>): Promise<Account> {
    const { account, isCacheable } = await check();
    if (isCacheable && this.ttlMs > 0) this.accounts.set(hash, account);
    return account;
  }
}
