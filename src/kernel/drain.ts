import { setTimeout as sleep } from 'node:timers/promises';

/** Period during which a stopping service still responds, so that load balancers notice. */
export class Drain {
  private hasBegun = false;

  /** @param durationMs 0: the service stops immediately */
  constructor(private readonly durationMs: number) {
    // Timers do not support longer delays.
    this.durationMs = Math.min(durationMs, 2_147_483_647);
  }

  get isDraining(): boolean {
    return this.hasBegun;
  }

  /** Starts the drain; resolves when it is over, or when `abandon` aborts. */
  async run(abandon: AbortSignal | undefined): Promise<void> {
    this.hasBegun = true;
    if (this.durationMs === 0 || abandon?.aborted) return;
    await sleep(this.durationMs, undefined, abandon ? { signal: abandon } : {}).catch(() => undefined);
  }
}
