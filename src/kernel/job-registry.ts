import { BackgroundJob, type Job, type JobDeps, type JobStatus } from './background-job.js';

/** All background jobs of the process, so that their status can be reported. */
export class JobRegistry {
  private readonly jobs: BackgroundJob[] = [];

  constructor(private readonly deps: JobDeps) {}

  /** Starts a job. The caller must stop it. */
  start(job: Job): BackgroundJob {
    const started = new BackgroundJob(job, this.deps);
    this.jobs.push(started);
    return started;
  }

  /** Lists the status of all jobs that were started, in the order of their start. */
  list(): JobStatus[] {
    return this.jobs.map(({ status }) => status);
  }
}
