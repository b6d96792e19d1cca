import { BackgroundJob, type Job, type JobDeps, type JobStatus } from './background-job.js';

/** Registry of all background jobs of the process, for reporting their status. */
export class JobRegistry {
  private readonly jobs = new Map<string, BackgroundJob>();
  private leases: JobDeps['leases'];

  constructor(private readonly deps: JobDeps) {}

  /** Restricts shared jobs that are started from now on to the node that holds their lease. */
  shareBy(leases: JobDeps['leases']): void {
    this.leases = leases;
  }

  /** Starts a job. The caller must stop it, also before starting another job of the same name. */
  start(job: Job): BackgroundJob {
    const started = new BackgroundJob(job, { leases: this.leases, ...this.deps });
    this.jobs.set(job.name, started);
    return started;
  }

  /** Lists the status of all started jobs, in the order of their first start. */
  list(): JobStatus[] {
    return [...this.jobs.values()].map(({ status }) => status);
  }
}
