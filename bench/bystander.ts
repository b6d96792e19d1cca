import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measured } from './latencies.js';

/** Lower bounds for any process on this machine at this moment. */
export interface Witnessed {
  /** Delay of a timer, in ms. */
  readonly late: Measured;
  /** Duration of an append of 4 kB with its fsync, in ms. */
  readonly append: Measured;
}

/** A process that does almost nothing during the load. */
export class Bystander {
  private constructor(
    private readonly child: ChildProcess,
    private readonly dir: string,
  ) {}

  /** @param parentDir on the disk that the load uses */
  static async beside(parentDir: string): Promise<Bystander> {
    const dir = mkdtempSync(join(parentDir, 'bystander-'));
    const child = fork(fileURLToPath(new URL('./bystander-process.js', import.meta.url)), [join(dir, 'appended')]);
    const bystander = new Bystander(child, dir);
    await bystander.witnessed();
    return bystander;
  }

  /** Resolves to the figures since the last call. */
  async witnessed(): Promise<Witnessed> {
    const answer = once(this.child, 'message');
    this.child.send('');
    const [witnessed] = (await answer) as [Witnessed];
    return witnessed;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
    rmSync(this.dir, { recursive: true, force: true });
  }
}
