/** Decides which one of several processes runs a job. */
export interface Lease {
  /** Acquires or renews the lease for a job; true when only this process may run it now. Called before each run. */
  hold(jobName: string): Promise<boolean>;
}
