import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { upTo } from '../kernel/cache-limits.js';
import type { MonotonicClock } from '../kernel/clock.js';
import { type Account, type AccountKey, toText } from './accounts.js';
import type { AccountState, AuthenticationProvider } from './authentication-provider.port.js';
import type { QueueOf } from './sign-in-queue.js';

const maxAccounts = 20_000;
/**
 * Part of the interval after which an account in use is looked up in the background, so that no request has to wait.
 */
const earlyPart = 0.8;
/** Time that a request waits for the directory before it continues with the last known state. */
const maxWaitMs = 2_000;
/** Delay before the next check when the directory could not decide. */
const retryMs = 60_000;
/** Name under which rechecks take turns in their provider's queue, next to the addresses of clients. */
const queueClient = 'rechecks of open sessions';

export interface AccountRechecksDeps {
  readonly providers: readonly AuthenticationProvider[];
  readonly queueOf: QueueOf;
  readonly clock: MonotonicClock;
  /** Updates the sessions and tokens of an account with the current data from the provider. Never rejects. */
  readonly onOpen: (account: Account) => Promise<void>;
  /** Ends the sessions of an account. Never rejects. */
  readonly onClosed: (account: AccountKey) => Promise<void>;
}

interface Known {
  readonly isClosed: boolean;
  /** Time of the last check, in process time. */
  readonly checkedMs: number;
  readonly dueMs: number;
}

/**
 * Looks up accounts at their provider, once per interval while their sessions or tokens are in use. If an account was
 * closed or has left a group, its sessions and tokens are updated. A directory that does not answer closes no account.
 */
export class AccountRechecks {
  private readonly known = new LRUCache<string, Known>(upTo(maxAccounts));
  private readonly inFlight = new Map<string, Promise<Account | undefined>>();

  /** @param intervalMs interval between two checks of an account; 0: accounts are not looked up */
  constructor(
    private readonly deps: AccountRechecksDeps,
    private readonly intervalMs: number,
  ) {}

  /** Notes that the provider has just accepted the user. */
  noteAccepted(account: AccountKey): void {
    this.note(toText(account), false, this.intervalMs);
  }

  /**
   * Returns the account as its provider described it at most an interval ago, or as it was last known if the provider
   * does not answer; undefined when it is closed.
   */
  async findCurrent(account: Account): Promise<Account | undefined> {
    const provider = this.deps.providers.find(({ name }) => name === account.scheme);
    if (!provider?.recheck || this.intervalMs === 0) return account;
    const known = this.known.get(toText(account));
    const nowMs = this.deps.clock.elapsedMs();
    const before = known?.isClosed ? undefined : account;
    if (known && nowMs < known.checkedMs + (known.dueMs - known.checkedMs) * earlyPart) return before;
    const checking = this.recheck(provider, account);
    if (known && nowMs < known.dueMs) return before;
    const limit = new AbortController();
    const slow = sleep(maxWaitMs, before, { signal: limit.signal, ref: false }).catch(() => before);
    try {
      return await Promise.race([checking, slow]);
    } finally {
      limit.abort();
    }
  }

  /** Looks the account up; concurrent calls share one request. Never rejects. */
  private recheck(provider: AuthenticationProvider, account: Account): Promise<Account | undefined> {
    const key = toText(account);
    let checking = this.inFlight.get(key);
    if (!checking) {
      checking = this.askProvider(provider, account, key).finally(() => this.inFlight.delete(key));
      this.inFlight.set(key, checking);
    }
    return checking;
  }

  private async askProvider(
    provider: AuthenticationProvider,
    account: Account,
    key: string,
  ): Promise<Account | undefined> {
    const ask = async () => (await provider.recheck?.(account.userName)) ?? unknown;
    const state = await this.deps
      .queueOf(provider)
      .run(queueClient, async () => true, ask)
      .catch(() => unknown);
    if (state.kind === 'closed') {
      this.note(key, true, this.intervalMs);
      await this.deps.onClosed(account);
      return undefined;
    }
    if (state.kind === 'open') {
      const current = { ...account, groups: state.groups };
      this.note(key, false, this.intervalMs);
      await this.deps.onOpen(current);
      return current;
    }
    const isClosed = this.known.get(key)?.isClosed ?? false;
    this.note(key, isClosed, Math.min(retryMs, this.intervalMs));
    return isClosed ? undefined : account;
  }

  private note(key: string, isClosed: boolean, validMs: number): void {
    const checkedMs = this.deps.clock.elapsedMs();
    this.known.set(key, { isClosed, checkedMs, dueMs: checkedMs + validMs });
  }
}

const unknown: AccountState = { kind: 'unknown' };
