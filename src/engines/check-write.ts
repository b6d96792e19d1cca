import type { HealthCheck } from '../kernel/health.js';
import { withTimeout } from '../kernel/with-timeout.js';

const timeoutMs = 5_000;
/** Maximum age of a reused health result. A check costs a commit, and anybody may request one. */
export const healthValidMs = 1_000;

/**
 * Checks that the storage accepts writes.
 * @param probe performs a small write
 */
export async function checkWrite(
  probe: () => Promise<unknown>,
  { stored, explain }: { readonly stored: string; readonly explain: (error: unknown) => string },
): Promise<HealthCheck> {
  const startedMs = performance.now();
  try {
    await withTimeout(timeoutMs, probe);
    const details = { milliseconds: Math.round(performance.now() - startedMs) };
    return { name: 'write', status: 'ok', message: stored, details };
  } catch (error) {
    return { name: 'write', status: 'failed', message: explain(error) };
  }
}
