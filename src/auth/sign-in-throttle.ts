import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';

export interface Attempt {
  /** It was the right password: it counts no more, and its address is known for the account. */
  succeeded(): void;
  /** Nobody could tell whether it was right: it counts no more. */
  undecided(): void;
}

/** So many wrong passwords in a row are taken; then one in so many seconds. */
interface Allowance {
  readonly burst: number;
  readonly refillSeconds: number;
}

/** One account from one address: a person who mistypes, or a script with an old password. */
const perPair: Allowance = { burst: 5, refillSeconds: 30 };
/** One address, whatever the account: somebody who tries one password on many; a control room shares an address. */
const perAddress: Allowance = { burst: 60, refillSeconds: 5 };
/** One account from everywhere: many addresses that work together. Those it was used from before are not counted. */
const perAccount: Allowance = { burst: 100, refillSeconds: 10 };

const maxKeys = 50_000;

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

/**
 * Slows down whoever guesses passwords. It counts by account and address together, so that nobody can lock others out
 * of an account by failing in their name: where its owner has signed in before, only failures from there count.
 */
export class SignInThrottle {
  private readonly buckets = new LRUCache<string, Bucket>({ max: maxKeys });
  /** Accounts with an address from where they were used with success. */
  private readonly trusted = new LRUCache<string, true>({ max: maxKeys });

  constructor(private readonly clock: Clock) {}

  /**
   * Counts an attempt as failed until it is known better: many at once gain nothing.
   * @param from the address that it comes from
   * @throws Fault busy `auth.throttled`
   */
  begin(userName: string, from: string): Attempt {
    const address = networkOf(from);
    // Directories do not mind case and outer spaces either.
    const account = keyOf(userName.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim());
    const pair = `${account} ${address}`;
    const counted: [string, Allowance][] = [
      [`pair ${pair}`, perPair],
      [`address ${address}`, perAddress],
    ];
    if (!this.trusted.has(pair)) counted.push([`account ${account}`, perAccount]);
    const waits = counted.map(([key, allowance]) => this.waitSeconds(key, allowance));
    const wait = Math.max(...waits);
    if (wait > 0) {
      throw new Fault(
        'busy',
        'auth.throttled',
        `Too many sign-ins failed. Wait ${wait} s before the next; ask the administrator if you have forgotten the password.`,
        { retryAfterSeconds: wait },
      );
    }
    for (const [key, allowance] of counted) this.add(key, allowance, 1);
    const undecided = () => {
      for (const [key, allowance] of counted) this.add(key, allowance, -1);
    };
    return {
      undecided,
      succeeded: () => {
        undecided();
        this.trusted.set(pair, true);
        this.buckets.delete(`pair ${pair}`);
      },
    };
  }

  private levelOf(key: string, { refillSeconds }: Allowance): number {
    const bucket = this.buckets.get(key);
    if (!bucket) return 0;
    const seconds = Math.max(0, this.clock.nowMs() - bucket.atMs) / 1_000;
    return Math.max(0, bucket.level - seconds / refillSeconds);
  }

  private waitSeconds(key: string, allowance: Allowance): number {
    const over = this.levelOf(key, allowance) + 1 - allowance.burst;
    return over <= 0 ? 0 : Math.ceil(over * allowance.refillSeconds);
  }

  private add(key: string, allowance: Allowance, amount: number): void {
    const level = Math.max(0, this.levelOf(key, allowance) + amount);
    this.buckets.set(key, { level, atMs: this.clock.nowMs() });
  }
}

/** Of an IPv6 address the part that one subscriber has: they may use any address in it. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail = ''] = address.toLowerCase().split('%', 1)[0]?.split('::', 2) ?? [];
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const missing = Array<string>(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0');
  const groups = address.includes('::') ? [...(left ?? []), ...missing, ...(right ?? [])] : (left ?? []);
  return groups.slice(0, 4).join(':');
}

/** Of one length, however long the name. */
function keyOf(userName: string): string {
  return createHash('sha256').update(userName).digest('base64').slice(0, 22);
}
