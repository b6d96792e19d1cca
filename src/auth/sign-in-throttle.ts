import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { networkPrefix } from '../kernel/network-prefix.js';

/** An attempt to sign in that is in flight; exactly one of these methods must be called. */
export interface Attempt {
  /** The password was right: the attempt no longer counts, and its address is trusted for the account. */
  succeeded(): void;
  /** The password could not be checked: the attempt no longer counts. */
  undecided(): void;
  /** The password was wrong: the attempt stays counted. */
  failed(): void;
}

/** Accepts `burst` failures in a row, then one every `refillSeconds`. */
interface TokenBucket {
  readonly burst: number;
  readonly refillSeconds: number;
}

/** One account from one address: a user who mistypes, or a script with an old password. */
const perAccountAndAddress: TokenBucket = { burst: 5, refillSeconds: 30 };
/** One address, any account: one password tried on many accounts. A whole control room may share an address. */
const perAddress: TokenBucket = { burst: 60, refillSeconds: 5 };
/** One account from any address: an attack from many addresses. */
const perAccount: TokenBucket = { burst: 100, refillSeconds: 10 };

/** Per address. */
const maxInFlight = 16;
const maxKeys = 50_000;

interface Counter {
  readonly fills: LRUCache<string, BucketFill>;
  readonly key: string;
  readonly bucket: TokenBucket;
}

/** The number of failures that count, as of a time; it decreases with time. */
interface BucketFill {
  readonly level: number;
  readonly atMs: number;
}

/**
 * Slows down clients that guess passwords. Failures count per account and address, so that no client can lock users out
 * by failing in their name: from an address where the owner has signed in before, only failures from there count.
 */
export class SignInThrottle {
  private readonly accountsAndAddresses = new LRUCache<string, BucketFill>({ max: maxKeys });
  private readonly addresses = new LRUCache<string, BucketFill>({ max: maxKeys });
  private readonly accounts = new LRUCache<string, BucketFill>({ max: maxKeys });
  private readonly inFlight = new Map<string, number>();
  /** Accounts with an address from which they have signed in. */
  private readonly trusted = new LRUCache<string, true>({ max: maxKeys });

  constructor(private readonly clock: Clock) {}

  /** Notes that the account has signed in from this address before. */
  trust(userName: string, from: string): void {
    this.trusted.set(accountAndAddressKey(userName, from), true);
  }

  /**
   * Throws while the client must wait, even if its password would be right.
   * @throws Fault busy `auth.throttled`
   */
  check(userName: string, from: string): void {
    this.refuse(this.countersFor(userName, from));
  }

  /**
   * Counts an attempt as failed until its result is known, so that concurrent attempts gain nothing.
   * @param from network address of the client
   * @throws Fault busy `auth.throttled`
   */
  begin(userName: string, from: string): Attempt {
    const counters = this.countersFor(userName, from);
    this.refuse(counters);
    const network = networkPrefix(from);
    const inFlight = this.inFlight.get(network) ?? 0;
    if (inFlight >= maxInFlight) throw throttled(1);
    this.inFlight.set(network, inFlight + 1);
    for (const counter of counters) this.add(counter, 1);
    const end = () => {
      const left = (this.inFlight.get(network) ?? 1) - 1;
      if (left > 0) this.inFlight.set(network, left);
      else this.inFlight.delete(network);
    };
    const undecided = () => {
      end();
      for (const counter of counters) this.add(counter, -1);
    };
    return {
      failed: end,
      undecided,
      succeeded: () => {
        undecided();
        this.trust(userName, from);
        this.accountsAndAddresses.delete(accountAndAddressKey(userName, from));
      },
    };
  }

  /** From an address where the account has signed in before, only its own failures count. */
  private countersFor(userName: string, from: string): Counter[] {
    const key = accountAndAddressKey(userName, from);
    const own = { fills: this.accountsAndAddresses, key, bucket: perAccountAndAddress };
    if (this.trusted.has(key)) return [own];
    return [
      own,
      { fills: this.addresses, key: networkPrefix(from), bucket: perAddress },
      { fills: this.accounts, key: accountKey(userName), bucket: perAccount },
    ];
  }

  private refuse(counters: readonly Counter[]): void {
    const waitSeconds = Math.max(...counters.map((counter) => this.waitSeconds(counter)));
    if (waitSeconds > 0) throw throttled(waitSeconds);
  }

  private currentLevel({ fills, key, bucket }: Counter): number {
    const fill = fills.get(key);
    if (!fill) return 0;
    const seconds = Math.max(0, this.clock.nowMs() - fill.atMs) / 1_000;
    return Math.max(0, fill.level - seconds / bucket.refillSeconds);
  }

  private waitSeconds(counter: Counter): number {
    const { burst, refillSeconds } = counter.bucket;
    const excess = this.currentLevel(counter) + 1 - burst;
    return excess <= 0 ? 0 : Math.ceil(excess * refillSeconds);
  }

  private add(counter: Counter, amount: number): void {
    const level = Math.max(0, this.currentLevel(counter) + amount);
    counter.fills.set(counter.key, { level, atMs: this.clock.nowMs() });
  }
}

function throttled(seconds: number): Fault {
  return new Fault(
    'busy',
    'auth.throttled',
    `Too many sign-ins have failed. Wait ${seconds} s before the next one; ask your administrator if you have forgotten the password.`,
    { retryAfterSeconds: seconds },
  );
}

function accountAndAddressKey(userName: string, from: string): string {
  return `${accountKey(userName)} ${networkPrefix(from)}`;
}

/** Returns a key of fixed length for any name. Ignores case and outer spaces, as directories do. */
function accountKey(userName: string): string {
  const name = userName.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return createHash('sha256').update(name).digest('base64').slice(0, 22);
}
