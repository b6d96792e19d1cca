import { randomUUID } from 'node:crypto';
import { type MonotonicClock, monotonicClock } from './clock.js';
import type { LeaseStore } from './lease.port.js';
import type { Log } from './log.js';

/** After this time without a renewal, another node may take over. */
export const leaseDurationMs = 6_000;
const renewalMs = 2_000;
/** How often a node that waits for a lease tries to acquire it. With the duration, less than 10 s together. */
export const leaseRetryMs = 3_000;
/** A node stops this long before another one may begin. */
const marginMs = 500;

/** A lease that this node has. */
export interface HeldLease {
  /** See `LeaseCheck.require`. */
  readonly token: number;
  /** Aborts when the lease was lost or may have been; work under the lease must end then. */
  readonly signal: AbortSignal;
}

interface Holding extends HeldLease {
  readonly name: string;
  readonly lost: AbortController;
  /** Ends the lease when it was not renewed in time. */
  expiry: NodeJS.Timeout | undefined;
}

interface Deps {
  readonly log: Log;
  readonly clock?: MonotonicClock;
}

/** The leases of one node: acquires them, and keeps renewing those it has until they are lost or released. */
export class NodeLeases {
  /** Identifies this run of this node. */
  readonly holder = randomUUID();
  private readonly held = new Map<string, Holding>();
  /** The names that are being acquired, so that each is asked for once. */
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

  /** Returns the lease under this name, acquired now or before; undefined while another node has it. */
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

  /** Releases all leases, so that other nodes take over immediately. What is done under them must have ended. */
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

  /** Counts from before the request: the store may have counted from any moment since. */
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
