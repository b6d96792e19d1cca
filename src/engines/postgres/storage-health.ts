import { CachedCheck } from '../../kernel/cached-check.js';
import type { HealthCheck } from '../../kernel/health.js';
import { withTimeout } from '../../kernel/with-timeout.js';

const writeTimeoutMs = 5_000;
/** How long a result is reused. A check costs a commit, and anybody may request one. */
const validMs = 1_000;

/** Checks that writes are stored. */
export class StorageHealth {
  private readonly checks = new CachedCheck(validMs, async () => [await this.checkWrite()]);

  /** @param probe stores something, as every write does */
  constructor(private readonly probe: () => Promise<unknown>) {}

  check(): Promise<HealthCheck[]> {
    return this.checks.read();
  }

  private async checkWrite(): Promise<HealthCheck> {
    const startedMs = performance.now();
    try {
      await withTimeout(writeTimeoutMs, () => this.probe());
      const details = { milliseconds: Math.round(performance.now() - startedMs) };
      return { name: 'write', status: 'ok', message: 'A test record was stored in PostgreSQL.', details };
    } catch {
      const message = 'The test record was not stored in PostgreSQL in time; the log of the service has the reason.';
      return { name: 'write', status: 'failed', message };
    }
  }
}
