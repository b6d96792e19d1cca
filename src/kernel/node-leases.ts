import { randomUUID } from 'node:crypto';
import { type MonotonicClock, monotonicClock } from './clock.js';
import type { LeaseStore } from './lease.port.js';
import type { Log } from './log.js';

/** Time without a renewal after which another node may take over. */
export const leaseDurationMs = 6_000;
const renewalMs = 2_000;
/** Interval at which a waiting node tries to acquire a lease. Together with the duration, it is less than 10 s. */
export const leaseRetryMs = 3_000;
/** Time by which a node stops before another one may begin. */
const marginMs = 500;

/** A lease held by this node. */
export interface HeldLease {
  /** Fencing token, see `LeaseCheck.require`. */
  readonly token: number;
  /** Aborts when the lease is lost or may be lost; work under the lease must then end. */
  readonly signal: AbortSignal;
}

interface Holding extends HeldLease {
  readonly name: string;
  readonly lost: AbortController;
  /** Timer that ends the lease unless it is renewed in time. */
  expiry: NodeJS.Timeout | undefined;
}

interface Deps {
  readonly log: Log;
  readonly clock?: MonotonicClock;
}

/** Leases of one node: acquires them, and renews them until they are lost or released. */
export class NodeLeases {
  /** Id of this run of the node. */
  readonly holder = randomUUID();
  private readonly held = new Map<string, Holding>();
  /** Pending acquisitions by name, so that each lease is requested only once. */
  private readonly acquiring = new Map<string, Promise<HeldLease | undefined>>();
  private readonly clock: MonotonicClock;
  private readonly timer: NodeJS.Timeout;
  private renewing: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly deps: Deps,
  ) {
    this.clock = deps.clock ?? monotonicClock;
    this.timer = setInterval(() => {
      this.renewing ??= this.renewAll().finally(() => {
        this.renewing = undefined;
      });
    }, renewalMs);
    this.timer.unref();
  }

  /** Returns the lease of this name, acquired now or earlier; undefined while another node holds it. */
  async hold(name: string): Promise<HeldLease | undefined> {
    const held = this.held.get(name);
    if (held || this.isClosed) return held;
    let acquiring = this.acquiring.get(name);
    if (!acquiring) {
      acquiring = this.acquire(name).finally(() => this.acquiring.delete(name));
      this.acquiring.set(name, acquiring);
    }
    return acquiring;
  }

  /** Releases all leases, so that other nodes take over immediately. Work under them must have ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.renewing;
    await Promise.allSettled(this.acquiring.values());
    const held = [...this.held.values()];
    this.held.clear();
    for (const { expiry } of held) clearTimeout(expiry);
    // Leases that cannot be released expire.
    await Promise.allSettled(held.map(({ name, token }) => this.store.release(name, token)));
  }

  private async acquire(name: string): Promise<HeldLease | undefined> {
    const askedMs = this.clock.elapsedMs();
    const token = await this.store.acquire(name, this.holder, leaseDurationMs);
    if (token === undefined) return undefined;
    const lost = new AbortController();
    const holding: Holding = { name, token, lost, signal: lost.signal, expiry: undefined };
    this.held.set(name, holding);
    this.expireAfter(holding, askedMs);
    this.deps.log.debug({ lease: name, token }, 'lease acquired');
    return holding;
  }

  private async renewAll(): Promise<void> {
    await Promise.all([...this.held.values()].map((holding) => this.renew(holding)));
  }

  private async renew(holding: Holding): Promise<void> {
    const askedMs = this.clock.elapsedMs();
    try {
      if (await this.store.renew(holding.name, holding.token, leaseDurationMs)) {
        if (this.held.get(holding.name) === holding) this.expireAfter(holding, askedMs);
      } else {
        this.lose(holding, 'another node has taken over');
      }
    } catch (error) {
      this.deps.log.warn({ err: error, lease: holding.name }, 'lease not renewed; will retry');
    }
  }

  /** Starts the expiry timer. It counts from before the request, because the store may count from any later moment. */
  private expireAfter(holding: Holding, askedMs: number): void {
    clearTimeout(holding.expiry);
    const leftMs = askedMs + leaseDurationMs - marginMs - this.clock.elapsedMs();
    holding.expiry = setTimeout(() => this.lose(holding, 'it could not be renewed in time'), Math.max(0, leftMs));
    holding.expiry.unref();
  }

  private lose(holding: Holding, reason: string): void {
    if (this.held.get(holding.name) !== holding) return;
    this.held.delete(holding.name);
    clearTimeout(holding.expiry);
    holding.lost.abort();
    this.deps.log.warn({ lease: holding.name, reason }, 'lease lost');
  }
}
