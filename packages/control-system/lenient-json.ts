/**
 * Matches a JSON string, or a number that is not finite. An unclosed string extends to the end of the input, which
 * keeps the time linear.
 */
const nonFinite = /"(?:[^"\\]+|\\.)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/** Matches a JSON string, or the digits of a long integer. */
const stringOrLongInteger = /"(?:[^"\\]+|\\.)*(?:"|\\?$)|(?<![\d.eE+-])-?[1-9]\d{15,19}(?![\d.eE])/gs;
const mayHaveLongInteger = /(?<![\d.])\d{16}/;

/**
 * Parses JSON in which numbers may be NaN, infinite, or unsafe integers. `toNumber` and `toDigits` read the results.
 * @throws SyntaxError
 */
export function parseLenient(text: string): unknown {
  const json = mayHaveLongInteger.test(text) ? text.replace(stringOrLongInteger, keepDigits) : text;
  try {
    return JSON.parse(json);
  } catch {
    return JSON.parse(json.replace(nonFinite, (found) => (found.startsWith('"') ? found : `"${found}"`)));
  }
}

function keepDigits(found: string): string {
  return isLongInteger(found) ? `{"digits":"${found}"}` : found;
}

/** Whether a text is an integer of at most 20 digits that a number may not represent exactly. */
export function isLongInteger(text: string): boolean {
  return /^-?[1-9]\d{15,19}$/.test(text) && !Number.isSafeInteger(Number(text));
}

/** Returns the digits of a long integer; undefined for anything else. */
export function toDigits(value: unknown): string | undefined {
  const digits = isRecord(value) ? value.digits : undefined;
  // A structure sent by a source may also have a field of this name.
  return typeof digits === 'string' && isLongInteger(digits) ? digits : undefined;
}

/**
 * Returns the number that a parsed value stands for: a value sent as `"NaN"` or `"Infinity"` is a number as well, and
 * a long integer is rounded. Undefined for anything else.
 */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const digits = toDigits(value);
  if (digits !== undefined) return Number(digits);
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
