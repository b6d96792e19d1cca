import { type MonotonicClock, monotonicClock } from './clock.js';
import { Fault } from './fault.js';
import type { LeaseCheck, LeaseStore } from './lease.port.js';

interface LocalLease {
  readonly token: number;
  readonly holder: string;
  readonly expiresMs: number;
}

/** Leases of a storage used by a single process; they end with the process. */
export class LocalLeases implements LeaseStore, LeaseCheck {
  private readonly leases = new Map<string, LocalLease>();
  private newestToken = 0;

  constructor(private readonly clock: MonotonicClock = monotonicClock) {}

  async acquire(name: string, holder: string, durationMs: number): Promise<number | undefined> {
    const nowMs = this.clock.elapsedMs();
    const lease = this.leases.get(name);
    const isFree = !lease || lease.expiresMs <= nowMs;
    if (!isFree && lease.holder !== holder) return undefined;
    const token = isFree ? ++this.newestToken : lease.token;
    this.leases.set(name, { token, holder, expiresMs: nowMs + durationMs });
    return token;
  }

  async renew(name: string, token: number, durationMs: number): Promise<boolean> {
    const lease = this.leases.get(name);
    if (lease?.token !== token) return false;
    this.leases.set(name, { ...lease, expiresMs: this.clock.elapsedMs() + durationMs });
    return true;
  }

  async release(name: string, token: number): Promise<boolean> {
    return this.leases.get(name)?.token === token && this.leases.delete(name);
  }

  async require(name: string, token: number): Promise<void> {
    if (this.leases.get(name)?.token !== token) throw leaseLost(name);
  }
}

/** Returns the Fault of a write whose node no longer holds the lease. */
export function leaseLost(name: string): Fault {
  return new Fault('conflict', 'lease.lost', `Another node has taken over ${name}; nothing was stored.`);
}
