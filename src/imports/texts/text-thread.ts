import { Piscina } from 'piscina';
import { withTimeout } from '../../kernel/with-timeout.js';

/** Minimum length in bytes of a text that is converted in a thread, because it would block the event loop. */
const longText = 2_000;
const timeLimitMs = 30_000;

/** Converts texts: long ones in a thread, others in the event loop. */
export class TextThread<Task, Result> {
  private readonly threads: Piscina<Task, Result>;

  /**
   * @param convert function that its module exports under its own name
   * @param file address of this module
   */
  constructor(
    private readonly convert: (task: Task) => Result | Promise<Result>,
    file: URL,
  ) {
    this.threads = new Piscina<Task, Result>({
      filename: file.href,
      name: convert.name,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 10_000,
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
  }

  /**
   * Converts a text; returns undefined if that takes too long.
   * @param size size of the text, in bytes
   * @throws the reason of `signal` when it aborts
   */
  async run(task: Task, size: number, signal: AbortSignal): Promise<Result | undefined> {
    if (size < longText) return this.convert(task);
    let isLate = false;
    try {
      return await withTimeout(
        timeLimitMs,
        (limit) => {
          limit.addEventListener('abort', () => {
            isLate = true;
          });
          return this.threads.run(task, { signal: limit });
        },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (isLate) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.threads.destroy();
  }
}
