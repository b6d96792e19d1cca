import type { Clock } from '../kernel/clock.js';
import type { PendingSignIn } from './browser-sign-in.port.js';

export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  /** Path on this site where the browser goes afterwards. */
  readonly returnPath: string;
  /** The address that it was begun from. */
  readonly from: string;
}

/** A control room may share an address. */
const maxOfAddress = 200;

/**
 * Sign-ins whose browser is at the provider. In memory alone: a restart in that moment means to begin again. Bounded,
 * because anybody may begin one; the oldest makes room, first of those from the same
 * address.
 */
export class PendingOidcSignIns {
  /** In the order of their beginning, which is that of their end. */
  private readonly begun = new Map<string, BegunSignIn & { readonly expiresMs: number }>();

  constructor(
    private readonly clock: Clock,
    readonly lifetimeMs: number,
    private readonly maxPending: number,
  ) {}

  /** A browser may have several, one in each of its windows. */
  add(browserKey: string, begun: BegunSignIn): void {
    const nowMs = this.clock.nowMs();
    for (const [key, { expiresMs }] of this.begun) {
      if (expiresMs > nowMs && this.begun.size < this.maxPending) break;
      this.begun.delete(key);
    }
    const sameAddress = [...this.begun].filter(([, { from }]) => from === begun.from);
    if (sameAddress.length >= maxOfAddress) this.begun.delete(sameAddress[0]?.[0] ?? '');
    this.begun.set(keyOf(browserKey, begun.signIn.state), { ...begun, expiresMs: nowMs + this.lifetimeMs });
  }

  /** The sign-in of that state, once; undefined when this browser has not begun it, or too long ago. */
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
