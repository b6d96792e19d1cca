import { setTimeout as sleep } from 'node:timers/promises';

/** The time between the decision to stop and the end of service, in which load balancers find out. */
export class Drain {
  private hasBegun = false;

  /** @param durationMs 0: the service stops immediately */
  constructor(private readonly durationMs: number) {
    // A timer takes no more.
    this.durationMs = Math.min(durationMs, 2_147_483_647);
  }

  get isDraining(): boolean {
    return this.hasBegun;
  }

  /** Resolves when the time is over, or `abandon` aborts. */
  async run(abandon: AbortSignal | undefined): Promise<void> {
    this.hasBegun = true;
    if (this.durationMs === 0 || abandon?.aborted) return;
    await sleep(this.durationMs, undefined, abandon ? { signal: abandon } : {}).catch(() => undefined);
  }
}
