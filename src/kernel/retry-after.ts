/**
 * Reads the header `Retry-After`, which has seconds or a date.
 * @returns a delay in milliseconds; undefined: none is asked for
 */
export function readRetryAfterMs(text: string | undefined, nowMs = Date.now()): number | undefined {
  const seconds = Number(text);
  const delayMs = seconds >= 0 ? seconds * 1_000 : Date.parse(text ?? '') - nowMs;
  return delayMs > 0 ? delayMs : undefined;
}
