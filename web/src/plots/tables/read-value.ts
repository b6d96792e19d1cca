const [zero, nine, plus, minus, point, comma, space] = [48, 57, 43, 45, 46, 44, 32] as const;
/** Digits that a double holds exactly. */
const exactDigits = 15;
const powers = Float64Array.from({ length: 23 }, (_, at) => 10 ** at);

const isDigit = (byte: number | undefined): byte is number => byte !== undefined && byte >= zero && byte <= nine;

/** Reads a number such as `-1.5e3`; NaN for anything else. */
export function readNumber(bytes: Uint8Array, from: number, to: number, decimal: '.' | ','): number {
  let [at, end] = [from, to];
  while (bytes[at] === space && at < end) at += 1;
  while (bytes[end - 1] === space && at < end) end -= 1;
  const sign = bytes[at] === minus ? -1 : 1;
  const start = bytes[at] === minus || bytes[at] === plus ? at + 1 : at;
  const mark = decimal === '.' ? point : comma;
  let [mantissa, digits, decimals] = [0, 0, 0];
  let isFraction = false;
  for (at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (isDigit(byte)) {
      mantissa = mantissa * 10 + (byte - zero);
      if (mantissa > 0) digits += 1;
      if (isFraction) decimals += 1;
    } else if (byte === mark && !isFraction) isFraction = true;
    else break;
  }
  const hasDigits = at - start > (isFraction ? 1 : 0);
  const exponent = at === end ? 0 : readExponent(bytes, at, end);
  const power = exponent === undefined ? powers.length : exponent - decimals;
  if (!hasDigits || digits > exactDigits || Math.abs(power) >= powers.length)
    return readRareNumber(bytes, from, to, decimal);
  // Both factors are exact, and so is the result.
  return sign * (power < 0 ? mantissa / (powers[-power] as number) : mantissa * (powers[power] as number));
}

/** Reads the text after an `e`; undefined if it is not an exponent. */
function readExponent(bytes: Uint8Array, from: number, end: number): number | undefined {
  if (((bytes[from] as number) | 0x20) !== 0x65) return undefined;
  const isNegative = bytes[from + 1] === minus;
  const start = from + (isNegative || bytes[from + 1] === plus ? 2 : 1);
  let value = 0;
  for (let at = start; at < end; at += 1) {
    if (!isDigit(bytes[at]) || at - start > 2) return undefined;
    value = value * 10 + ((bytes[at] as number) - zero);
  }
  if (start >= end) return undefined;
  return isNegative ? -value : value;
}

/** Reads numbers with many digits or large exponents. */
function readRareNumber(bytes: Uint8Array, from: number, to: number, decimal: '.' | ','): number {
  const text = asText(bytes, from, to).trim();
  if (!isNumber(text, decimal)) return Number.NaN;
  return Number(text.replace(',', '.').replace(/d/i, 'e'));
}

function asText(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 64)));
}

const numbers = {
  '.': /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[ed][+-]?\d+)?$/i,
  ',': /^[+-]?(?:\d+,?\d*|,\d+)(?:[ed][+-]?\d+)?$/i,
} as const;

export function isNumber(text: string, decimal: '.' | ','): boolean {
  return numbers[decimal].test(text);
}

/** Whether a cell stands for a missing value. */
export function isBlank(text: string): boolean {
  return /^(?:-+|nan|[+-]?inf(?:inity)?|null|none|n\/a|undefined|invalid)?$/i.test(text);
}

const date = /^(?:\d{4}-\d\d?-\d\d?|\d\d?\.\d\d?\.\d{4}|\d{4}\/\d\d?\/\d\d?)$/;
const clock = /^\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

export const isDate = (text: string): boolean => date.test(text);
export const isClock = (text: string): boolean => clock.test(text);

/** Whether the text is a date with or without a time of day. */
export function isTime(text: string): boolean {
  const [day = '', time, ...more] = text.split(/[T ]/);
  return more.length === 0 && isDate(day) && (time === undefined || isClock(time));
}

/** Reads dates with times of day. Without a zone, they are in that of the computer. */
export class TimeReader {
  private readonly parts = new Int32Array(3);
  private hourKey = -1;
  private hourMs = 0;

  /** @returns milliseconds since the epoch, or NaN */
  read(bytes: Uint8Array, from: number, to: number, clockFrom?: number, clockTo?: number): number {
    const dayEnd = this.readParts(bytes, from, to);
    if (dayEnd < 0) return Number.NaN;
    const [a = 0, b = 0, c = 0] = this.parts;
    const [year, day] = a > 31 ? [a, c] : [c, a];
    if (clockFrom !== undefined && clockTo !== undefined)
      return this.readClock(bytes, clockFrom, clockTo, year, b, day);
    return this.readClock(bytes, Math.min(to, dayEnd + 1), to, year, b, day);
  }

  /** Reads three numbers with one character between them. @returns where they end; -1: they are not there */
  private readParts(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (bytes[at] === space && at < to) at += 1;
    for (let part = 0; part < 3; part += 1) {
      const start = at;
      let value = 0;
      for (; at < to && isDigit(bytes[at]); at += 1) value = value * 10 + ((bytes[at] as number) - zero);
      if (at === start || at - start > 4) return -1;
      this.parts[part] = value;
      if (part < 2) at += 1;
    }
    return at;
  }

  private readClock(
    bytes: Uint8Array,
    from: number,
    to: number,
    ...[year, month, day]: [year: number, month: number, day: number]
  ): number {
    const two = (at: number) =>
      at + 1 < to ? ((bytes[at] as number) - zero) * 10 + (bytes[at + 1] as number) - zero : 0;
    const start = bytes[from + 1] === 58 ? from - 1 : from;
    const hour = start < from ? (bytes[from] as number) - zero : two(from);
    const minute = two(start + 3);
    const isLong = bytes[start + 5] === 58 && start + 5 < to;
    let ms = minute * 60_000 + (isLong ? two(start + 6) * 1_000 : 0);
    let at = start + (isLong ? 8 : 5);
    if (isLong && (bytes[at] === point || bytes[at] === comma) && at < to) {
      let unit = 100;
      for (at += 1; at < to && isDigit(bytes[at]); at += 1, unit /= 10) ms += ((bytes[at] as number) - zero) * unit;
    }
    if (at < to && bytes[at] !== space) {
      const utc = Date.UTC(year, month - 1, day, hour);
      const isAhead = bytes[at] === plus;
      if (!isAhead && bytes[at] !== minus) return bytes[at] === 90 ? utc + ms : Number.NaN;
      const minutes = two(at + 1) * 60 + two(at + (bytes[at + 3] === 58 ? 4 : 3));
      return utc + ms - (isAhead ? 1 : -1) * minutes * 60_000;
    }
    return this.localHour(year, month, day, hour) + ms;
  }

  private localHour(year: number, month: number, day: number, hour: number): number {
    const key = ((year * 12 + month) * 31 + day) * 24 + hour;
    if (key !== this.hourKey) {
      this.hourKey = key;
      this.hourMs = new Date(year, month - 1, day, hour).getTime();
    }
    return this.hourMs;
  }
}
