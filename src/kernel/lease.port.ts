/**
 * Grants to one node at a time the right to do something, under a name. A node keeps a lease by renewing it; when it
 * ends without releasing it, the lease passes on after its time. Times are those of the store, not of the node.
 */
export interface LeaseStore {
  /**
   * Acquires a lease that is free or has expired, or renews the one that this holder has. Returns its fencing token: the
   * same one while it is renewed in time, a higher one each time that it is acquired. Undefined while another holder has
   * it.
   * @param holder differs for each node, and for each run of one
   */
  acquire(name: string, holder: string, durationMs: number): Promise<number | undefined>;
  /** Renews a lease; false, and no effect, when it was acquired under another token since. */
  renew(name: string, token: number, durationMs: number): Promise<boolean>;
  /** Releases a lease; false, and no effect, when it was acquired under another token since, or is free. */
  release(name: string, token: number): Promise<boolean>;
}

/** Check of a lease within the transaction of a write. */
export interface LeaseCheck {
  /**
   * Ensures that the lease does not pass on before this write has been stored or has failed.
   * @throws Fault conflict `lease.lost` when the lease was acquired under another token since, or is free
   */
  require(name: string, token: number): Promise<void>;
}

/** The part of a transaction that keeps a node that was taken for dead from storing anything. */
export interface LeaseTransaction {
  readonly leases: LeaseCheck;
}
