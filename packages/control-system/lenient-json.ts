/**
 * Matches a text, or a number that is not finite. An unclosed text extends to the end of the input, which keeps the
 * time linear.
 */
const nonFinite = /"(?:[^"\\]+|\\.)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/**
 * Parses JSON in which numbers may be NaN or infinite. Those numbers become texts, see `toNumber`.
 * @throws SyntaxError
 */
export function parseLenient(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replace(nonFinite, (found) => (found.startsWith('"') ? found : `"${found}"`)));
  }
}

/** Returns a number, including one that is not finite and was sent as a text; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === '-NaN') return Number.NaN;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  return value === '-Infinity' ? Number.NEGATIVE_INFINITY : undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Latest time of a sample, in seconds since the epoch: the start of the year 2200. A later time is an error of the
 * device.
 */
const maxSeconds = 7_258_118_400;

/** Converts seconds since the epoch and nanoseconds to milliseconds; undefined when they are not a valid time. */
export function toInstant(seconds: unknown, nanos: unknown): number | undefined {
  const [whole, part] = [toNumber(seconds), toNumber(nanos ?? 0) ?? 0];
  if (whole === undefined || !(whole > 0 && whole < maxSeconds) || !(part >= 0 && part < 1e9)) return undefined;
  return Math.trunc(whole) * 1_000 + Math.floor(part / 1e6);
}
