import { BackgroundJob, type Job, type JobDeps, type JobStatus } from './background-job.js';

/** All background jobs of the process, so that their status can be reported. */
export class JobRegistry {
  private readonly jobs = new Map<string, BackgroundJob>();
  private leases: JobDeps['leases'];

  constructor(private readonly deps: JobDeps) {}

  /** Makes shared jobs that are started from now on run only on the node that has their lease. */
  shareBy(leases: JobDeps['leases']): void {
    this.leases = leases;
  }

  /** Starts a job. The caller must stop it, also before it starts another one of the same name. */
  start(job: Job): BackgroundJob {
    const started = new BackgroundJob(job, { leases: this.leases, ...this.deps });
    this.jobs.set(job.name, started);
    return started;
  }

  /** Lists the status of all jobs that were started, in the order of their first start. */
  list(): JobStatus[] {
    return [...this.jobs.values()].map(({ status }) => status);
  }
}
