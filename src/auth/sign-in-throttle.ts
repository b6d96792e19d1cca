import { hash } from 'node:crypto';
import type { Fault } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import { networkPrefix } from '../kernel/network-prefix.js';
import { counted } from '../kernel/text.js';
import type { AuthenticationProvider } from './authentication-provider.port.js';
import type { FailureCounts, ReachedCounter } from './sign-in-state.port.js';

export type AttemptOutcome =
  /** The password was right: earlier failures are forgotten, and the address becomes trusted for the account. */
  | 'succeeded'
  /** The password was wrong: the attempt counts. */
  | 'failed'
  /** The password could not be checked: the attempt does not count. */
  | 'undecided';

/** An attempt to sign in that is in flight; `end` must be called exactly once. */
export interface Attempt {
  /** @param identifiedAs the provider's spelling of the user name, when it is known */
  end(outcome: AttemptOutcome, identifiedAs?: string): Promise<void>;
}

/** The number of failures within a period after which further attempts are refused. */
export interface FailureLimit {
  readonly failures: number;
  readonly windowMs: number;
}

/** Limit for one account from one address: a user who mistypes, or a script with an old password. */
const perAccountAndAddress: FailureLimit = { failures: 10, windowMs: 300_000 };
/** Limit for one address and any account: one password tried on many accounts. A control room may share one address. */
const perAddress: FailureLimit = { failures: 200, windowMs: 300_000 };
/** Limit for one account from any address, if the provider has no lock-out: an attack from many addresses. */
const perAccount: FailureLimit = { failures: 100, windowMs: 300_000 };

const maxRetryAfterSeconds = 60;

/** An account and an address from which it has signed in. */
export interface KnownSignIn {
  /** Name of the provider. */
  readonly scheme: string;
  readonly userName: string;
  readonly from: string;
}

type Provider = Pick<AuthenticationProvider, 'name' | 'isRemote'>;

/** Counter that increases if an attempt fails. */
interface Counter {
  readonly key: string;
  readonly limit: FailureLimit;
  /** The setting that changes the limit; undefined when the limit is fixed. */
  readonly setting?: string;
  /** Subject of the counter, for the message. */
  readonly countedFor: string;
}

/**
 * Limits wrong passwords, so that passwords cannot be guessed and a directory does not lock accounts that strangers
 * try. Only failures count, separately for each provider and for each pair of account and address, so that a user is
 * not refused because another user of the same address mistypes. At an address where the account has signed in before,
 * only its failures from there count.
 */
export class SignInThrottle {
  /**
   * @param newAddressLimit limit for an account of a remote provider, from all addresses where it has never signed in;
   *   0 failures: no limit
   */
  constructor(
    private readonly counts: FailureCounts,
    private readonly newAddressLimit: FailureLimit,
  ) {}

  /** Notes that these accounts have signed in with a provider from an address before. */
  async trust(signIns: readonly KnownSignIn[]): Promise<void> {
    await this.counts.trust(signIns.map(({ scheme, userName, from }) => ownKey(scheme, userName, from)));
  }

  /**
   * Rejects while the client must wait, even if its password is right.
   * @throws Fault busy `auth.throttled`
   */
  async check(provider: Provider, userName: string, from: string): Promise<void> {
    const counters = await this.countersFor(provider, userName, from);
    const reached = await this.counts.findReached(counters.map(toFailureCounter));
    if (reached) throw throttled(counters, reached);
  }

  /**
   * Begins an attempt. Returns undefined while it must wait for attempts in flight whose failures could reach a limit,
   * so that concurrent attempts have no advantage.
   * @param from network address of the client
   * @throws Fault busy `auth.throttled`
   */
  async tryBegin(provider: Provider, userName: string, from: string): Promise<Attempt | undefined> {
    const counters = await this.countersFor(provider, userName, from);
    const begun = await this.counts.begin(counters.map(toFailureCounter));
    if (begun.kind === 'reached') throw throttled(counters, begun.reached);
    if (begun.kind === 'waiting') return undefined;
    return {
      end: async (outcome, identifiedAs = userName) => {
        const hasSucceeded = outcome === 'succeeded';
        const own = hasSucceeded ? ownKey(provider.name, userName, from) : undefined;
        await this.counts.end(begun.attempt, outcome === 'failed', own);
        if (!hasSucceeded) return;
        await this.trust([userName, identifiedAs].map((name) => ({ scheme: provider.name, userName: name, from })));
      },
    };
  }

  private async countersFor({ name, isRemote }: Provider, userName: string, from: string): Promise<Counter[]> {
    const network = networkPrefix(from);
    const key = ownKey(name, userName, from);
    const own = { key, limit: perAccountAndAddress, countedFor: `this user name from the address ${network}` };
    if (await this.counts.isTrusted(key)) return [own];
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
}

function toFailureCounter({ key, limit }: Counter) {
  return { key, ...limit };
}

function throttled(counters: readonly Counter[], { key, waitMs }: ReachedCounter): Fault {
  const counter = counters.find((one) => one.key === key);
  if (!counter) throw new Error('a limit was reached that was not asked for');
  const { limit, setting, countedFor } = counter;
  const seconds = Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(waitMs / 1_000)));
  const amount = `${counted(limit.failures, 'wrong password')} in ${counted(limit.windowMs / 60_000, 'minute')}`;
  const refused = 'Too many wrong passwords.';
  const advice = `Try again in ${seconds} s; ask your administrator if you have forgotten the password.`;
  const details = { refused, limit: { amount, setting, countedFor }, advice };
  return limitFault('busy', 'auth.throttled', details, { retryAfterSeconds: seconds });
}

function ownKey(providerName: string, userName: string, from: string): string {
  return `${providerName} ${hashName(userName)} ${networkPrefix(from)}`;
}

/** Returns a key of fixed length for any name. Ignores case and surrounding spaces, like directories. */
function hashName(userName: string): string {
  const name = userName.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return hash('sha256', name, 'base64').slice(0, 22);
}

/** Removes the domain, so that all spellings share one limit: domains also accept `DOMAIN\name` and `name@domain`. */
function withoutDomain(userName: string): string {
  const name = userName.slice(userName.lastIndexOf('\\') + 1);
  const at = name.indexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}
