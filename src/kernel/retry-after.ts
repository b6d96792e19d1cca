/**
 * Reads the header `Retry-After`, which contains seconds or a date.
 * @returns delay in milliseconds; undefined: none is requested
 */
export function readRetryAfterMs(text: string | undefined, nowMs = Date.now()): number | undefined {
  const seconds = Number(text);
  const delayMs = seconds >= 0 ? seconds * 1_000 : Date.parse(text ?? '') - nowMs;
  return delayMs > 0 ? delayMs : undefined;
}
