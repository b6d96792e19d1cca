/**
 * Grants a named right to one node at a time. A node keeps a lease by renewing it; if the node ends without releasing
 * it, the lease becomes available after its duration. Times are those of the store rather than of the node.
 */
export interface LeaseStore {
  /**
   * Acquires a lease that is free or has expired, or renews one of this holder. Returns its fencing token, which stays
   * the same while the lease is renewed in time, and increases with each acquisition. Returns undefined while another
   * holder has the lease.
   * @param holder unique to each node and each of its runs
   */
  acquire(name: string, holder: string, durationMs: number): Promise<number | undefined>;
  /** Renews a lease. Returns false, without effect, if it was acquired under another token since. */
  renew(name: string, token: number, durationMs: number): Promise<boolean>;
  /** Releases a lease. Returns false, without effect, if it is free or was acquired under another token since. */
  release(name: string, token: number): Promise<boolean>;
}

/** Check of a lease within the transaction of a write. */
export interface LeaseCheck {
  /**
   * Ensures that the lease does not pass to another node before this write has been stored or has failed.
   * @throws Fault conflict `lease.lost` when the lease is free or was acquired under another token since
   */
  require(name: string, token: number): Promise<void>;
}

/** Part of a transaction that prevents writes by a node whose lease was taken over. */
export interface LeaseTransaction {
  readonly leases: LeaseCheck;
}
