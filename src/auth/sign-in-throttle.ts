import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { MonotonicClock } from '../kernel/clock.js';
import { limitFault } from '../kernel/limit.js';
import { networkPrefix } from '../kernel/network-prefix.js';
import { counted } from '../kernel/text.js';
import type { AuthenticationProvider } from './authentication-provider.port.js';

export type AttemptOutcome =
  /** The password was right: earlier failures are forgotten, and the address is known for the account. */
  | 'succeeded'
  /** The password was wrong: the attempt counts. */
  | 'failed'
  /** The password could not be checked: the attempt does not count. */
  | 'undecided';

/** An attempt to sign in that is in flight; `end` must be called exactly once. */
export interface Attempt {
  /** @param identifiedAs the provider's spelling of the user name, when it is known */
  end(outcome: AttemptOutcome, identifiedAs?: string): void;
}

/** The number of failures within a period after which further attempts are refused. */
export interface FailureLimit {
  readonly failures: number;
  readonly windowMs: number;
}

/** One account from one address: a user who mistypes, or a script with an old password. */
const perAccountAndAddress: FailureLimit = { failures: 10, windowMs: 300_000 };
/** One address, any account: one password tried on many accounts. A whole control room may share an address. */
const perAddress: FailureLimit = { failures: 200, windowMs: 300_000 };
/** One account of a provider without a lock-out of its own, from any address: an attack from many addresses. */
const perAccount: FailureLimit = { failures: 100, windowMs: 300_000 };

const maxKeys = 50_000;
const maxRetryAfterSeconds = 60;

type Provider = Pick<AuthenticationProvider, 'name' | 'isRemote'>;

/** What one attempt counts towards. */
interface Counter {
  readonly key: string;
  readonly limit: FailureLimit;
  /** The setting that changes the limit; undefined: it is fixed. */
  readonly setting?: string;
  /** What is counted together, for the message. */
  readonly countedFor: string;
}

/**
 * Limits wrong passwords, so that they cannot be guessed and a directory does not lock the accounts of users whom
 * strangers try. It counts failures only, for each provider on its own, per account and address together: no user
 * is refused because another user of the same address mistypes. From an address where the account has signed in before,
 * only its failures from there count.
 */
export class SignInThrottle {
  private readonly failures = new LRUCache<string, readonly number[]>({ max: maxKeys });
  private readonly inFlight = new Map<string, number>();
  /** Accounts with an address from which they have signed in. */
  private readonly trusted = new LRUCache<string, true>({ max: maxKeys });

  /** @param newAddressLimit for an account of a remote provider, from all addresses where it has never signed in */
  constructor(
    private readonly clock: MonotonicClock,
    private readonly newAddressLimit: FailureLimit,
  ) {}

  /** Notes that the account has signed in with this provider from this address before. */
  trust(providerName: string, userName: string, from: string): void {
    this.trusted.set(ownKey(providerName, userName, from), true);
  }

  /**
   * Throws while the client must wait, even if its password would be right.
   * @throws Fault busy `auth.throttled`
   */
  check(provider: Provider, userName: string, from: string): void {
    for (const counter of this.countersFor(provider, userName, from)) this.refuseAtLimit(counter);
  }

  /**
   * Begins an attempt. Undefined when it must wait for the outcome of those in flight, because their failures might
   * reach a limit: concurrent attempts gain nothing.
   * @param from network address of the client
   * @throws Fault busy `auth.throttled`
   */
  tryBegin(provider: Provider, userName: string, from: string): Attempt | undefined {
    const counters = this.countersFor(provider, userName, from);
    for (const counter of counters) this.refuseAtLimit(counter);
    const isFree = ({ key, limit }: Counter) =>
      this.recentFailures(key, limit).length + (this.inFlight.get(key) ?? 0) < limit.failures;
    if (!counters.every(isFree)) return undefined;
    for (const { key } of counters) this.inFlight.set(key, (this.inFlight.get(key) ?? 0) + 1);
    return {
      end: (outcome, identifiedAs = userName) => {
        for (const counter of counters) this.end(counter, outcome);
        if (outcome !== 'succeeded') return;
        for (const name of [userName, identifiedAs]) this.trust(provider.name, name, from);
        this.failures.delete(ownKey(provider.name, userName, from));
      },
    };
  }

  private end({ key, limit }: Counter, outcome: AttemptOutcome): void {
    const left = (this.inFlight.get(key) ?? 1) - 1;
    if (left > 0) this.inFlight.set(key, left);
    else this.inFlight.delete(key);
    if (outcome === 'failed') this.failures.set(key, [...this.recentFailures(key, limit), this.clock.elapsedMs()]);
  }

  private countersFor({ name, isRemote }: Provider, userName: string, from: string): Counter[] {
    const network = networkPrefix(from);
    const key = ownKey(name, userName, from);
    const own = { key, limit: perAccountAndAddress, countedFor: `this user name from the address ${network}` };
    if (this.trusted.has(key)) return [own];
    const counters = [own, { key: `${name} ${network}`, limit: perAddress, countedFor: `the address ${network}` }];
    const limit = isRemote ? this.newAddressLimit : perAccount;
    if (limit.failures === 0) return counters;
    const all = {
      key: `${name} ${hashName(withoutDomain(userName))}`,
      limit,
      countedFor: 'this user name from all addresses where it has not signed in before',
    };
    return [...counters, isRemote ? { ...all, setting: 'newAddressFailures' } : all];
  }

  private refuseAtLimit({ key, limit, setting, countedFor }: Counter): void {
    const recent = this.recentFailures(key, limit);
    if (recent.length < limit.failures) return;
    const waitMs = (recent[recent.length - limit.failures] ?? 0) + limit.windowMs - this.clock.elapsedMs();
    const seconds = Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(waitMs / 1_000)));
    const amount = `${counted(limit.failures, 'wrong password')} in ${counted(limit.windowMs / 60_000, 'minute')}`;
    const refused = 'Too many wrong passwords.';
    const advice = `Try again in ${seconds} s; ask your administrator if you have forgotten the password.`;
    const details = { refused, limit: { amount, setting, countedFor }, advice };
    throw limitFault('busy', 'auth.throttled', details, { retryAfterSeconds: seconds });
  }

  /** When the failures of the window happened, in process time, oldest first. */
  private recentFailures(key: string, { windowMs }: FailureLimit): readonly number[] {
    const all = this.failures.get(key) ?? [];
    const sinceMs = this.clock.elapsedMs() - windowMs;
    return all[0] === undefined || all[0] > sinceMs ? all : all.filter((atMs) => atMs > sinceMs);
  }
}

function ownKey(providerName: string, userName: string, from: string): string {
  return `${providerName} ${hashName(userName)} ${networkPrefix(from)}`;
}

/** Returns a key of fixed length for any name. Ignores case and outer spaces, as directories do. */
function hashName(userName: string): string {
  const name = userName.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return hash('sha256', name, 'base64').slice(0, 22);
}

/** Domains accept an account as `DOMAIN\name` and `name@domain` too: the spellings share one limit. */
function withoutDomain(userName: string): string {
  const name = userName.slice(userName.lastIndexOf('\\') + 1);
  const at = name.indexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}
