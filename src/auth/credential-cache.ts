import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { upTo } from '../kernel/cache-limits.js';
import { Fault } from '../kernel/fault.js';
import { type Account, type AccountKey, toText } from './accounts.js';
import type { Credentials } from './authentication-provider.port.js';

const maxCached = 10_000;
/** Maximum number of networks per account and password. Beyond it, the oldest one is forgotten. */
const maxNetworks = 100;

type Check = () => Promise<Account>;

interface Cached {
  readonly account: Account;
  readonly networks: ReadonlySet<string>;
  /** Increases with each check that begins. */
  readonly checkNumber: number;
}

/**
 * Caches accepted credentials for a short time, because programs send name and password with every request. Without the
 * cache, each request would query the directory and count as an attempt in the database. The key is a keyed hash that
 * is useless outside this process. Concurrent requests with the same credentials share one check. Each network has its
 * own cache entries: otherwise the response time would tell a client elsewhere that it has guessed a password.
 */
export class CredentialCache {
  private readonly key = randomBytes(32);
  private readonly accounts: LRUCache<string, Cached>;
  /** Number of the oldest check whose result is still valid, by account and by hash of credentials. */
  private readonly validSince: LRUCache<string, number>;
  private readonly inFlight = new Map<string, Promise<Account>>();
  private checks = 0;

  /**
   * @param ttlMs maximum time for which a password is accepted after the directory has changed it; 0: nothing is cached
   */
  constructor(private readonly ttlMs: number) {
    this.accounts = new LRUCache({ ...upTo(maxCached), ttl: Math.max(1, ttlMs) });
    this.validSince = new LRUCache({ ...upTo(2 * maxCached), ttl: Math.max(1, ttlMs) });
  }

  /**
   * Returns the cached account of the credentials, or else the result of `check`. Rejects with the errors of `check`.
   * @param network network from which the credentials were sent
   */
  getOrCheck(credentials: Credentials, network: string, check: Check): Promise<Account> {
    const hash = this.hash(credentials);
    const cached = this.findValid(hash);
    if (cached?.networks.has(network)) return Promise.resolve(cached.account);
    const flight = `${hash} ${network}`;
    let checking = this.inFlight.get(flight);
    if (!checking) {
      checking = this.checkAndCache(hash, network, check).finally(() => this.inFlight.delete(flight));
      this.inFlight.set(flight, checking);
    }
    return checking;
  }

  /**
   * Returns the result of `check`, and updates the cache. If `check` accepts, all other passwords of the account are
   * removed; if it rejects, these credentials are removed. Rejects with the errors of `check`.
   */
  async checkAgain(credentials: Credentials, network: string, check: Check): Promise<Account> {
    const hash = this.hash(credentials);
    const checkNumber = this.checks + 1;
    try {
      const account = await this.checkAndCache(hash, network, check);
      this.validSince.set(toText(account), checkNumber);
      return account;
    } catch (error) {
      if (error instanceof Fault && error.kind === 'unauthenticated') this.validSince.set(hash, checkNumber);
      throw error;
    }
  }

  /** Removes all cached credentials of the account, and does not cache those that are being checked. */
  forget(account: AccountKey): void {
    this.checks++;
    this.validSince.set(toText(account), this.checks);
  }

  private async checkAndCache(hash: string, network: string, check: Check): Promise<Account> {
    const checkNumber = ++this.checks;
    const account = await check();
    if (this.ttlMs > 0) {
      const networks = [...(this.findValid(hash)?.networks ?? []), network].slice(-maxNetworks);
      this.accounts.set(hash, { account, networks: new Set(networks), checkNumber });
    }
    return account;
  }

  private findValid(hash: string): Cached | undefined {
    const cached = this.accounts.get(hash);
    if (!cached) return undefined;
    const since = Math.max(this.validSince.get(hash) ?? 0, this.validSince.get(toText(cached.account)) ?? 0);
    return cached.checkNumber >= since ? cached : undefined;
  }

  private hash({ userName, password }: Credentials): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([userName, password]))
      .digest('base64');
  }
}
