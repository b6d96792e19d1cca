import type { PendingSignIn } from './browser-sign-in.port.js';

export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  /** Path on this site to which the browser returns after the sign-in. */
  readonly returnPath: string;
  /** Network address of the client that began it. */
  readonly from: string;
}

/** Bounds on the sign-ins that any client can make the service remember. */
export interface PendingLimits {
  readonly lifetimeMs: number;
  readonly maxTotal: number;
  readonly maxPerNetwork: number;
}

/** Sign-ins whose browser is at the identity provider. */
export interface PendingSignIns {
  /**
   * Adds a sign-in for its lifetime, under a key that is not in use. Beyond the limit of its network, the network's
   * oldest sign-in is dropped. Beyond the total limit, the oldest sign-in of the network with the most is dropped.
   * @param network identifies the client that began the sign-in
   */
  add(key: string, network: string, begun: BegunSignIn, limits: PendingLimits): Promise<void>;
  /** Removes and returns a sign-in, to only one caller. Undefined when there is none, or it has expired. */
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
  /** Time until the next attempt is allowed. */
  readonly waitMs: number;
}

export type BegunAttempt =
  /** `attempt` must be passed to `end`. */
  | { readonly kind: 'begun'; readonly attempt: string }
  /** The failures of the attempts in flight could reach a limit. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'reached'; readonly reached: ReachedCounter };

/**
 * Counts failed attempts atomically for all counters of an attempt and for all nodes, so that concurrent attempts have
 * no advantage. A counter is forgotten after its period. An attempt counts as in flight for at most a minute, in case
 * its node fails and never ends it.
 */
export interface FailureCounts {
  /** Returns the first of the counters that has reached its limit; undefined when none has. */
  findReached(counters: readonly FailureCounter[]): Promise<ReachedCounter | undefined>;
  /** Begins an attempt unless a counter forbids it. The attempt counts as in flight for all of the counters. */
  begin(counters: readonly FailureCounter[]): Promise<BegunAttempt>;
  /**
   * Ends an attempt that has begun.
   * @param failed whether it counts as a failure
   * @param clear counter whose earlier failures are forgotten; undefined: none
   */
  end(attempt: string, failed: boolean, clear?: string): Promise<void>;
  /** Remembers these keys as trusted. The least recently used ones may be forgotten if there are too many. */
  trust(keys: readonly string[]): Promise<void>;
  isTrusted(key: string): Promise<boolean>;
}

/**
 * State that all nodes share, so that users can sign in through any node, and attackers do not gain attempts by
 * changing nodes.
 */
export interface SignInState {
  readonly pending: PendingSignIns;
  readonly failures: FailureCounts;
}
