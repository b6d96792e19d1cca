import { BackgroundJob, type Job, type JobDeps, type JobStatus } from './background-job.js';

/** All jobs of the process, for the metrics and for those who ask how they are. */
export class BackgroundJobs {
  private readonly jobs: BackgroundJob[] = [];

  constructor(private readonly deps: JobDeps) {}

  /** Schedules a job. Whoever starts it stops it. */
  start(job: Job): BackgroundJob {
    const started = new BackgroundJob(job, this.deps);
    this.jobs.push(started);
    return started;
  }

  list(): JobStatus[] {
    return this.jobs.map(({ status }) => status);
  }
}
