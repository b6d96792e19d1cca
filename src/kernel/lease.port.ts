/** Decides which of several processes runs a job. */
export interface Lease {
  /** True while this process alone may run the job of that name; it is asked before each run. */
  hold(jobName: string): Promise<boolean>;
}
