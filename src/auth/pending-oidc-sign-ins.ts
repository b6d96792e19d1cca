import type { MonotonicClock } from '../kernel/clock.js';
import { networkPrefix } from '../kernel/network-prefix.js';
import type { PendingSignIn } from './browser-sign-in.port.js';

export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  /** Path on this site where the browser goes afterwards. */
  readonly returnPath: string;
  /** Network address of the client that began it. */
  readonly from: string;
}

/** A whole control room may share one address. */
const maxPerNetwork = 200;

/**
 * Sign-ins whose browser is at the identity provider. They are only in memory, so a restart means that the user must
 * begin again. Their number is limited, because any client can begin one: beyond the limit of an address its oldest
 * sign-in is dropped, beyond the total limit the oldest of the address that has most.
 */
export class PendingOidcSignIns {
  /** In the order in which they began, which is also the order in which they expire. */
  private readonly begun = new Map<string, BegunSignIn & { readonly expiresMs: number }>();
  /** The keys of `begun` in the same order, by network. */
  private readonly byNetwork = new Map<string, Set<string>>();

  constructor(
    private readonly clock: MonotonicClock,
    readonly lifetimeMs: number,
    private readonly maxPending: number,
  ) {}

  /** Adds a sign-in. A browser may have several, one in each window. */
  add(browserKey: string, begun: BegunSignIn): void {
    const nowMs = this.clock.elapsedMs();
    for (const [key, { expiresMs }] of this.begun) {
      if (expiresMs > nowMs) break;
      this.remove(key);
    }
    const network = networkPrefix(begun.from);
    const ofNetwork = this.byNetwork.get(network);
    if (ofNetwork && ofNetwork.size >= maxPerNetwork) this.removeOldest(ofNetwork);
    else if (this.begun.size >= this.maxPending) this.removeOldest(this.findLargest());
    const key = keyOf(browserKey, begun.signIn.state);
    this.begun.set(key, { ...begun, expiresMs: nowMs + this.lifetimeMs });
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? new Set()).add(key));
  }

  /** Removes and returns the sign-in with this state; undefined when this browser began none or it has expired. */
  take(browserKey: string, state: string): BegunSignIn | undefined {
    const begun = this.remove(keyOf(browserKey, state));
    return begun && begun.expiresMs > this.clock.elapsedMs() ? begun : undefined;
  }

  private remove(key: string): (BegunSignIn & { readonly expiresMs: number }) | undefined {
    const begun = this.begun.get(key);
    if (!begun) return undefined;
    this.begun.delete(key);
    const network = networkPrefix(begun.from);
    const keys = this.byNetwork.get(network);
    keys?.delete(key);
    if (keys?.size === 0) this.byNetwork.delete(network);
    return begun;
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

function keyOf(browserKey: string, state: string): string {
  return JSON.stringify([browserKey, state]);
}
