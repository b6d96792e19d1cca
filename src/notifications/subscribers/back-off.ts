export interface RetryPolicy {
  /** Delay before the second attempt; doubles with each further one, up to `maxRetryDelayMs`. */
  readonly initialRetryDelayMs: number;
  readonly maxRetryDelayMs: number;
}

/**
 * Returns the delay after a failed attempt: exponential back-off, minus a random part of up to a half.
 * @param attempt number of the attempt that failed, from 1
 */
export function backOffMs(
  attempt: number,
  { initialRetryDelayMs, maxRetryDelayMs }: RetryPolicy,
  random: () => number = Math.random,
): number {
  const longest = Math.min(maxRetryDelayMs, initialRetryDelayMs * 2 ** Math.min(attempt - 1, 40));
  return longest * (0.5 + random() / 2);
}

/**
 * Returns the time until the next attempt. A wait longer than any delay means that the clock was set back, so the
 * attempt is due.
 */
export function untilDueMs(
  { nextAttemptMs }: { readonly nextAttemptMs: number },
  nowMs: number,
  { maxRetryDelayMs }: RetryPolicy,
): number {
  const waitMs = nextAttemptMs - nowMs;
  return waitMs <= maxRetryDelayMs ? Math.max(0, waitMs) : 0;
}
