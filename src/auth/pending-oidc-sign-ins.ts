import type { Clock } from '../kernel/clock.js';
import type { PendingSignIn } from './browser-sign-in.port.js';

export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  /** Path on this site where the browser goes afterwards. */
  readonly returnPath: string;
  /** Network address of the client that began it. */
  readonly from: string;
}

/** A whole control room may share one address. */
const maxPerAddress = 200;

/**
 * Sign-ins whose browser is at the identity provider. They are only in memory, so a restart means that the user must
 * begin again. Their number is limited, because any client can begin one: beyond the limit of an address its oldest
 * sign-in is dropped, beyond the total limit the oldest of all.
 */
export class PendingOidcSignIns {
  /** In the order in which they began, which is also the order in which they expire. */
  private readonly begun = new Map<string, BegunSignIn & { readonly expiresMs: number }>();

  constructor(
    private readonly clock: Clock,
    readonly lifetimeMs: number,
    private readonly maxPending: number,
  ) {}

  /** Adds a sign-in. A browser may have several, one in each window. */
  add(browserKey: string, begun: BegunSignIn): void {
    const nowMs = this.clock.nowMs();
    for (const [key, { expiresMs }] of this.begun) {
      if (expiresMs > nowMs && this.begun.size < this.maxPending) break;
      this.begun.delete(key);
    }
    const sameAddress = [...this.begun].filter(([, { from }]) => from === begun.from);
    if (sameAddress.length >= maxPerAddress) this.begun.delete(sameAddress[0]?.[0] ?? '');
    this.begun.set(keyOf(browserKey, begun.signIn.state), { ...begun, expiresMs: nowMs + this.lifetimeMs });
  }

  /** Removes and returns the sign-in with this state; undefined when this browser began none or it has expired. */
  take(browserKey: string, state: string): BegunSignIn | undefined {
    const key = keyOf(browserKey, state);
    const begun = this.begun.get(key);
    this.begun.delete(key);
    return begun && begun.expiresMs > this.clock.nowMs() ? begun : undefined;
  }
}

function keyOf(browserKey: string, state: string): string {
  return JSON.stringify([browserKey, state]);
}
