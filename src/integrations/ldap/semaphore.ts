import { DirectoryUnavailable } from './ldap-connection.js';

/** Lets so many work at the same time; the others wait in line, and not for ever. */
export class Semaphore {
  private taken = 0;
  private readonly line: (() => void)[] = [];

  constructor(
    private readonly max: number,
    private readonly maxWaitMs: number,
  ) {}

  /** @throws DirectoryUnavailable when no turn came */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken < this.max) this.taken++;
    else await this.wait();
    try {
      return await work();
    } finally {
      const next = this.line.shift();
      if (next) next();
      else this.taken--;
    }
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.line.splice(this.line.indexOf(step), 1);
        reject(
          new DirectoryUnavailable(
            `${this.max} conversations with the directory take longer than ${this.maxWaitMs} ms`,
          ),
        );
      }, this.maxWaitMs);
      this.line.push(step);
    });
  }
}
