import { BackgroundJob, type Job, type JobDeps, type JobStatus } from './background-job.js';

/** All background jobs of the process, so that their status can be reported. */
export class JobRegistry {
  private readonly jobs: BackgroundJob[] = [];
  private leases: JobDeps['leases'];

  constructor(private readonly deps: JobDeps) {}

  /** Shared jobs that are started from now on run on the node that has their lease. */
  shareBy(leases: JobDeps['leases']): void {
    this.leases = leases;
  }

  /** Starts a job. The caller must stop it. */
  start(job: Job): BackgroundJob {
    const started = new BackgroundJob(job, { leases: this.leases, ...this.deps });
    this.jobs.push(started);
    return started;
  }

  /** Lists the status of all jobs that were started, in the order of their start. */
  list(): JobStatus[] {
    return this.jobs.map(({ status }) => status);
  }
}
