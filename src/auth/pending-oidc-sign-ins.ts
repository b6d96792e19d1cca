import { networkPrefix } from '../kernel/network-prefix.js';
import type { BegunSignIn, PendingLimits, PendingSignIns } from './sign-in-state.port.js';

const defaultLimits: PendingLimits = {
  lifetimeMs: 600_000,
  maxTotal: 10_000,
  // A whole control room may share one address.
  maxPerNetwork: 200,
};

/**
 * Sign-ins whose browser is at the identity provider. Their number is limited, because any client can begin one. If
 * they are only in memory, a restart makes their users sign in a second time.
 */
export class PendingOidcSignIns {
  constructor(
    private readonly pending: PendingSignIns,
    private readonly limits: PendingLimits = defaultLimits,
  ) {}

  get lifetimeMs(): number {
    return this.limits.lifetimeMs;
  }

  /** Adds a sign-in. A browser may have several, one in each window. */
  async add(browserKey: string, begun: BegunSignIn): Promise<void> {
    await this.pending.add(keyOf(browserKey, begun.signIn.state), networkPrefix(begun.from), begun, this.limits);
  }

  /**
   * Removes and returns the sign-in with this state. Undefined when this browser has begun no such sign-in, or it has
   * expired.
   */
  async take(browserKey: string, state: string): Promise<BegunSignIn | undefined> {
    return this.pending.take(keyOf(browserKey, state));
  }
}

function keyOf(browserKey: string, state: string): string {
  return JSON.stringify([browserKey, state]);
}
