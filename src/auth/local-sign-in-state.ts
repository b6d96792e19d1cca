import { LRUCache } from 'lru-cache';
import { upTo } from '../kernel/cache-limits.js';
import { type MonotonicClock, monotonicClock } from '../kernel/clock.js';
import type {
  BegunAttempt,
  BegunSignIn,
  FailureCounter,
  FailureCounts,
  PendingLimits,
  PendingSignIns,
  ReachedCounter,
  SignInState,
} from './sign-in-state.port.js';

const maxKeys = 50_000;

/**
 * Returns the sign-in state for a storage that only one process uses. It is in memory, and lost when the process ends.
 */
export function localSignInState(clock: MonotonicClock = monotonicClock): SignInState {
  return { pending: new LocalPendingSignIns(clock), failures: new LocalFailureCounts(clock) };
}

interface StoredSignIn {
  readonly begun: BegunSignIn;
  readonly network: string;
  readonly expiresMs: number;
}

class LocalPendingSignIns implements PendingSignIns {
  /** Pending sign-ins, in the order in which they began. */
  private readonly signIns = new Map<string, StoredSignIn>();
  /** The keys of `signIns` in the same order, by network. */
  private readonly byNetwork = new Map<string, Set<string>>();

  constructor(private readonly clock: MonotonicClock) {}

  async add(key: string, network: string, begun: BegunSignIn, limits: PendingLimits): Promise<void> {
    const nowMs = this.clock.elapsedMs();
    for (const [earlier, { expiresMs }] of this.signIns) {
      if (expiresMs > nowMs) break;
      this.remove(earlier);
    }
    const ofNetwork = this.byNetwork.get(network);
    if (ofNetwork && ofNetwork.size >= limits.maxPerNetwork) this.removeOldest(ofNetwork);
    else if (this.signIns.size >= limits.maxTotal) this.removeOldest(this.findLargest());
    this.signIns.set(key, { begun, network, expiresMs: nowMs + limits.lifetimeMs });
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? new Set()).add(key));
  }

  async take(key: string): Promise<BegunSignIn | undefined> {
    const stored = this.remove(key);
    return stored && stored.expiresMs > this.clock.elapsedMs() ? stored.begun : undefined;
  }

  private remove(key: string): StoredSignIn | undefined {
    const stored = this.signIns.get(key);
    if (!stored) return undefined;
    this.signIns.delete(key);
    const keys = this.byNetwork.get(stored.network);
    keys?.delete(key);
    if (keys?.size === 0) this.byNetwork.delete(stored.network);
    return stored;
  }

  private removeOldest(keys: ReadonlySet<string>): void {
    const [oldest] = keys;
    if (oldest !== undefined) this.remove(oldest);
  }

  private findLargest(): ReadonlySet<string> {
    let largest: ReadonlySet<string> = new Set();
    for (const keys of this.byNetwork.values()) if (keys.size > largest.size) largest = keys;
    return largest;
  }
}

class LocalFailureCounts implements FailureCounts {
  /** Times of the failures in process time, oldest first. */
  private readonly failures = new LRUCache<string, readonly number[]>(upTo(maxKeys));
  private readonly inFlight = new Map<string, number>();
  private readonly attempts = new Map<string, readonly FailureCounter[]>();
  private readonly trusted = new LRUCache<string, true>(upTo(maxKeys));
  private newestAttempt = 0;

  constructor(private readonly clock: MonotonicClock) {}

  async findReached(counters: readonly FailureCounter[]): Promise<ReachedCounter | undefined> {
    return this.reached(counters);
  }

  async begin(counters: readonly FailureCounter[]): Promise<BegunAttempt> {
    const reached = this.reached(counters);
    if (reached) return { kind: 'reached', reached };
    const isFree = (counter: FailureCounter) =>
      this.recentFailures(counter).length + (this.inFlight.get(counter.key) ?? 0) < counter.failures;
    if (!counters.every(isFree)) return { kind: 'waiting' };
    for (const { key } of counters) this.inFlight.set(key, (this.inFlight.get(key) ?? 0) + 1);
    const attempt = String(++this.newestAttempt);
    this.attempts.set(attempt, counters);
    return { kind: 'begun', attempt };
  }

  async end(attempt: string, failed: boolean, clear?: string): Promise<void> {
    for (const counter of this.attempts.get(attempt) ?? []) {
      const { key } = counter;
      const left = (this.inFlight.get(key) ?? 1) - 1;
      if (left > 0) this.inFlight.set(key, left);
      else this.inFlight.delete(key);
      if (failed) this.failures.set(key, [...this.recentFailures(counter), this.clock.elapsedMs()]);
    }
    this.attempts.delete(attempt);
    if (clear !== undefined) this.failures.delete(clear);
  }

  async trust(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.trusted.set(key, true);
  }

  async isTrusted(key: string): Promise<boolean> {
    return this.trusted.get(key) ?? false;
  }

  private reached(counters: readonly FailureCounter[]): ReachedCounter | undefined {
    for (const counter of counters) {
      const recent = this.recentFailures(counter);
      if (recent.length < counter.failures) continue;
      const oldestMs = recent[recent.length - counter.failures] ?? 0;
      return { key: counter.key, waitMs: oldestMs + counter.windowMs - this.clock.elapsedMs() };
    }
    return undefined;
  }

  private recentFailures({ key, windowMs }: FailureCounter): readonly number[] {
    const all = this.failures.get(key) ?? [];
    const sinceMs = this.clock.elapsedMs() - windowMs;
    return all[0] === undefined || all[0] > sinceMs ? all : all.filter((atMs) => atMs > sinceMs);
  }
}
