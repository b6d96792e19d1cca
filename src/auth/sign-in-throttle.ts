import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';

/** One that has begun; exactly one of these is to be called. */
export interface Attempt {
  /** It was the right password: it counts no more, and its address is known for the account. */
  succeeded(): void;
  /** Nobody could tell whether it was right: it counts no more. */
  undecided(): void;
  failed(): void;
}

/** So many wrong passwords in a row are taken; then one in so many seconds. */
interface TokenBucket {
  readonly burst: number;
  readonly refillSeconds: number;
}

/** One account from one address: a person who mistypes, or a script with an old password. */
const perPair: TokenBucket = { burst: 5, refillSeconds: 30 };
/** One address, whatever the account: somebody who tries one password on many; a control room shares an address. */
const perAddress: TokenBucket = { burst: 60, refillSeconds: 5 };
/** One account from everywhere: many addresses that work together. */
const perAccount: TokenBucket = { burst: 100, refillSeconds: 10 };

/** Under way at the same time from one address. */
const maxAtOnce = 16;
const maxKeys = 50_000;

interface Counted {
  readonly buckets: LRUCache<string, Bucket>;
  readonly key: string;
  readonly allowance: TokenBucket;
}

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

/**
 * Slows down whoever guesses passwords. It counts by account and address together, so that nobody can lock others out
 * of an account by failing in their name: where its owner has signed in before, only failures from there count.
 */
export class SignInThrottle {
  private readonly pairs = new LRUCache<string, Bucket>({ max: maxKeys });
  private readonly addresses = new LRUCache<string, Bucket>({ max: maxKeys });
  private readonly accounts = new LRUCache<string, Bucket>({ max: maxKeys });
  private readonly underWay = new Map<string, number>();
  /** Accounts with an address from where they were used with success. */
  private readonly trusted = new LRUCache<string, true>({ max: maxKeys });

  constructor(private readonly clock: Clock) {}

  /** Somebody has signed in from there before. */
  trust(userName: string, from: string): void {
    this.trusted.set(pairOf(userName, from), true);
  }

  /**
   * Also what would be known to be right is refused to whoever guesses.
   * @throws Fault busy `auth.throttled`
   */
  check(userName: string, from: string): void {
    this.refuse(this.countedFor(userName, from));
  }

  /**
   * Counts an attempt as failed until it is known better: many at once gain nothing.
   * @param from the address that it comes from
   * @throws Fault busy `auth.throttled`
   */
  begin(userName: string, from: string): Attempt {
    const counted = this.countedFor(userName, from);
    this.refuse(counted);
    const network = networkPrefix(from);
    const underWay = this.underWay.get(network) ?? 0;
    if (underWay >= maxAtOnce) throw throttled(1);
    this.underWay.set(network, underWay + 1);
    for (const one of counted) this.add(one, 1);
    const failed = () => {
      const left = (this.underWay.get(network) ?? 1) - 1;
      if (left > 0) this.underWay.set(network, left);
      else this.underWay.delete(network);
    };
    const undecided = () => {
      failed();
      for (const one of counted) this.add(one, -1);
    };
    return {
      failed,
      undecided,
      succeeded: () => {
        undecided();
        this.trust(userName, from);
        this.pairs.delete(pairOf(userName, from));
      },
    };
  }

  /** Where an account was used before, nothing that others do counts. */
  private countedFor(userName: string, from: string): Counted[] {
    const pair = { buckets: this.pairs, key: pairOf(userName, from), allowance: perPair };
    if (this.trusted.has(pair.key)) return [pair];
    return [
      pair,
      { buckets: this.addresses, key: networkPrefix(from), allowance: perAddress },
      { buckets: this.accounts, key: accountOf(userName), allowance: perAccount },
    ];
  }

  private refuse(counted: readonly Counted[]): void {
    const wait = Math.max(...counted.map((one) => this.waitSeconds(one)));
    if (wait > 0) throw throttled(wait);
  }

  private levelOf({ buckets, key, allowance }: Counted): number {
    const bucket = buckets.get(key);
    if (!bucket) return 0;
    const seconds = Math.max(0, this.clock.nowMs() - bucket.atMs) / 1_000;
    return Math.max(0, bucket.level - seconds / allowance.refillSeconds);
  }

  private waitSeconds(counted: Counted): number {
    const { burst, refillSeconds } = counted.allowance;
    const over = this.levelOf(counted) + 1 - burst;
    return over <= 0 ? 0 : Math.ceil(over * refillSeconds);
  }

  private add(counted: Counted, amount: number): void {
    const level = Math.max(0, this.levelOf(counted) + amount);
    counted.buckets.set(counted.key, { level, atMs: this.clock.nowMs() });
  }
}

function throttled(seconds: number): Fault {
  return new Fault(
    'busy',
    'auth.throttled',
    `Too many sign-ins failed. Wait ${seconds} s before the next; ask the administrator if you have forgotten the password.`,
    { retryAfterSeconds: seconds },
  );
}

const pairOf = (userName: string, from: string): string => `${accountOf(userName)} ${networkPrefix(from)}`;

/** Of one length, however long the name; directories do not mind case and outer spaces either. */
function accountOf(userName: string): string {
  const name = userName.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return createHash('sha256').update(name).digest('base64').slice(0, 22);
}

/** Of an IPv6 address the part that one subscriber has: they may use any address in it. */
export function networkPrefix(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail = ''] = address.toLowerCase().split('%', 1)[0]?.split('::', 2) ?? [];
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const missing = Array<string>(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0');
  const groups = address.includes('::') ? [...(left ?? []), ...missing, ...(right ?? [])] : (left ?? []);
  return groups.slice(0, 4).join(':');
}
