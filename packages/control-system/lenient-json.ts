/**
 * Matches a text, or a number that is not finite. An unclosed text extends to the end of the input, which keeps the
 * time linear.
 */
const nonFinite = /"(?:[^"\\]+|\\.)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/** Matches a text, or the digits of a long integer. */
const textOrLongInteger = /"(?:[^"\\]+|\\.)*(?:"|\\?$)|(?<![\d.eE+-])-?[1-9]\d{15,19}(?![\d.eE])/gs;
const mayHaveLongInteger = /(?<![\d.])\d{16}/;

/**
 * Parses JSON in which numbers may be NaN, infinite, or integers too long for a number: see `toNumber` and `toDigits`.
 * @throws SyntaxError
 */
export function parseLenient(text: string): unknown {
  const json = mayHaveLongInteger.test(text) ? text.replace(textOrLongInteger, keepDigits) : text;
  try {
    return JSON.parse(json);
  } catch {
    return JSON.parse(json.replace(nonFinite, (found) => (found.startsWith('"') ? found : `"${found}"`)));
  }
}

function keepDigits(found: string): string {
  return isLongInteger(found) ? `{"digits":"${found}"}` : found;
}

/** Whether a text is an integer of up to 64 bits that is too long for a number. */
export function isLongInteger(text: string): boolean {
  return /^-?[1-9]\d{15,19}$/.test(text) && !Number.isSafeInteger(Number(text));
}

/** Returns the digits of an integer that is too long for a number; undefined for anything else. */
export function toDigits(value: unknown): string | undefined {
  const digits = isRecord(value) ? value.digits : undefined;
  // Only a long integer is exact; a structure of a source may have a field of this name.
  return typeof digits === 'string' && isLongInteger(digits) ? digits : undefined;
}

/**
 * Returns a number, including one that is not finite and was sent as a text, and the nearest one to a long integer;
 * undefined for anything else.
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
