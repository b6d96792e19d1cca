import type { PendingSignIn } from './browser-sign-in.port.js';

export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  /** Path on this site where the browser goes afterwards. */
  readonly returnPath: string;
  /** Network address of the client that began it. */
  readonly from: string;
}

/** Bounds of what any client can make the service remember. */
export interface PendingLimits {
  readonly lifetimeMs: number;
  readonly maxTotal: number;
  readonly maxPerNetwork: number;
}

/** Sign-ins whose browser is at the identity provider. */
export interface PendingSignIns {
  /**
   * Adds a sign-in under a key that is not in use, for its lifetime. Beyond the limit of its network, the oldest of the
   * network is dropped; beyond the total limit, the oldest of the network that has most.
   * @param network stands for the client that began it
   */
  add(key: string, network: string, begun: BegunSignIn, limits: PendingLimits): Promise<void>;
  /** Removes and returns a sign-in, to one caller only; undefined when there is none, or it has expired. */
  take(key: string): Promise<BegunSignIn | undefined>;
}

/** Key of a count of failed attempts, and the number allowed within a period. */
export interface FailureCounter {
  readonly key: string;
  readonly failures: number;
  readonly windowMs: number;
}

export interface ReachedCounter {
  readonly key: string;
  /** After how long an attempt is allowed again. */
  readonly waitMs: number;
}

export type BegunAttempt =
  /** `attempt`: to be handed to `end`. */
  | { readonly kind: 'begun'; readonly attempt: string }
  /** The failures of the attempts in flight might reach a limit. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'reached'; readonly reached: ReachedCounter };

/**
 * Counts failed attempts, atomically for all counters of an attempt and for all nodes: attempts at the same time gain
 * nothing. A counter is forgotten when its period has passed. An attempt that is never ended, because its node has
 * failed, counts as in flight for a minute.
 */
export interface FailureCounts {
  /** Returns the first of the counters that has reached its limit; undefined when none has. */
  findReached(counters: readonly FailureCounter[]): Promise<ReachedCounter | undefined>;
  /** Begins an attempt, which counts as in flight for all of the counters, unless one of them forbids it. */
  begin(counters: readonly FailureCounter[]): Promise<BegunAttempt>;
  /**
   * Ends an attempt that has begun.
   * @param failed whether it counts as a failure
   * @param clear the counter whose earlier failures are forgotten; undefined: none
   */
  end(attempt: string, failed: boolean, clear?: string): Promise<void>;
  /** Remembers these keys as trusted; of very many, the least recently used may be forgotten. */
  trust(keys: readonly string[]): Promise<void>;
  isTrusted(key: string): Promise<boolean>;
}

/**
 * State that nodes share so that a user can sign in through any of them, and an attacker gains nothing by changing
 * nodes.
 */
export interface SignInState {
  readonly pending: PendingSignIns;
  readonly failures: FailureCounts;
}
