import { DirectoryUnavailable } from './ldap-connection.js';

/** Limits how many tasks run at the same time; further tasks wait in order, for a limited time. */
export class Semaphore {
  private running = 0;
  private readonly waiters: (() => void)[] = [];

  constructor(
    private readonly permits: number,
    private readonly maxWaitMs: number,
  ) {}

  /** @throws DirectoryUnavailable when no permit becomes free in time */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running < this.permits) this.running++;
    else await this.waitForPermit();
    try {
      return await task();
    } finally {
      const next = this.waiters.shift();
      if (next) next();
      else this.running--;
    }
  }

  private waitForPermit(): Promise<void> {
    return new Promise((resolve, reject) => {
      const acquire = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiters.splice(this.waiters.indexOf(acquire), 1);
        reject(
          new DirectoryUnavailable(`${this.permits} LDAP requests have been running for ${this.maxWaitMs} ms or more`),
        );
      }, this.maxWaitMs);
      this.waiters.push(acquire);
    });
  }
}
