import { Temporal } from 'temporal-polyfill';
import { Fault, quoted } from '../kernel/fault.js';

const examples = '“2024-03-01 14:30”, “14:30”, “2024-03-01T14:30:00Z”, “12 hours” or “now”';
const numbers =
  'A number is a year (2024), a date (20240301), or the time since 1970 in seconds (10 digits) or milliseconds (13 digits).';

/** Bound of a time window for which an expression is used. An end that is a day or a year includes all of it. */
export type Bound = 'start' | 'end';

/**
 * Returns the zone in the form that is used: an IANA name or an offset.
 * @throws Fault invalid `search.bad-zone`
 */
export function checkZone(zone: string): string {
  try {
    const name = zone.replace(/^(Etc\/GMT) (?=\d)/i, '$1+');
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(offsetOf(name) ?? name).timeZoneId;
  } catch {
    throw new Fault(
      'invalid',
      'search.bad-zone',
      `${quoted(zone)} is not a time zone. Use a name from the IANA list, such as Europe/Berlin, or an offset such as +02:00 or Z.`,
    );
  }
}

/**
 * Returns the offset that `Z`, `+2`, `+02:00`, `+0200`, `GMT+2` or `UTC+02:00` means; undefined for anything else. A
 * plus sign that a client did not escape arrives as a space, which may have been trimmed.
 */
function offsetOf(zone: string): string | undefined {
  if (/^z$/i.test(zone)) return 'UTC';
  const written = /^\d\d:?\d\d$/.test(zone) ? `+${zone}` : zone;
  const [, sign, hours = '', minutes = '00'] = /^(?:GMT|UTC|UT)?([+ -])(\d{1,2})(?::?([0-5]\d))?$/i.exec(written) ?? [];
  if (sign === undefined || Number(hours) > 18) return undefined;
  return `${sign === '-' ? '-' : '+'}${hours.padStart(2, '0')}:${minutes}`;
}

/**
 * Returns the instant that an expression denotes, in milliseconds since the epoch.
 *
 * Supported: `yyyy-MM-dd[ HH:mm[:ss[.SSS]]]` and ISO 8601 without offset (in `zone`), `yyyy`, `yyyyMMdd`, `HH:mm[:ss]`
 * (today in `zone`), ISO 8601 with offset or `Z`, seconds (10 digits) and milliseconds (13 digits) since the epoch,
 * `now`, and amounts before now such as `2 weeks 3 d` (months and years by the calendar in `zone`). A local time that a
 * clock change skips is moved forward by the gap. If a local time occurs twice, the earlier one is used, as in
 * java.time.
 * @param bound `end`: of a day or a year without a time, the last millisecond; otherwise the first one
 * @throws Fault invalid `search.bad-time`
 */
export function parseTime(expression: string, zone: string, nowMs: number, bound: Bound = 'start'): number {
  const text = expression.trim();
  const isNumber = /^[+-]?\d+(\.\d*)?$/.test(text);
  const ms =
    parsePeriod(text, zone, bound) ??
    (isNumber
      ? parseEpoch(text)
      : (parseInstant(text) ?? parseLocal(text, zone, nowMs) ?? parseAmountBefore(text, zone, nowMs)));
  if (ms === undefined || !Number.isSafeInteger(ms) || Math.abs(ms) > 8.64e15) {
    throw new Fault(
      'invalid',
      'search.bad-time',
      `${quoted(expression)} is not a time. Write for example ${examples}.${isNumber ? ` ${numbers}` : ''}`,
    );
  }
  return ms;
}

/** Numbers of other lengths are not times, because they would be days in 1970 or years in the far future. */
function parseEpoch(text: string): number | undefined {
  if (!/^(\d{10}|\d{13})(\.\d+)?$/.test(text)) return undefined;
  return Math.floor(Number(text) * (/^\d{10}(\.|$)/.test(text) ? 1_000 : 1));
}

/**
 * Reads a year or a day: `2024`, `20240301` or `2024-03-01`. A number from another century is not a year: `1430` may be
 * meant as a time of day.
 */
function parsePeriod(text: string, zone: string, bound: Bound): number | undefined {
  const [, year, month, day] =
    /^((?:19|20|21)\d\d)(?:(\d\d)(\d\d))?$/.exec(text) ?? /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  return attempt(() => {
    const first = Temporal.PlainDate.from(`${year}-${month ?? '01'}-${day ?? '01'}`);
    if (bound === 'start') return first.toZonedDateTime(zone).epochMilliseconds;
    const next = first.add(month === undefined ? { years: 1 } : { days: 1 });
    return next.toZonedDateTime(zone).epochMilliseconds - 1;
  });
}

/**
 * Parses an instant with an offset. The pattern excludes the other forms that Temporal accepts. A plus sign that a
 * client did not escape arrives as a space.
 */
function parseInstant(text: string): number | undefined {
  const match =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?: ?(Z|[+-]\d\d(?::?\d\d)?)| (\d\d(?::?\d\d)?))$/i.exec(
      text,
    );
  if (!match) return undefined;
  const [, date, time, written, unescaped] = match;
  const offset = written?.toUpperCase() ?? `+${unescaped}`;
  return attempt(() => Temporal.Instant.from(`${date}T${time}${offset}`).epochMilliseconds);
}

function parseLocal(text: string, zone: string, nowMs: number): number | undefined {
  const dated = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)$/i.exec(text);
  if (dated) {
    const [, date, time] = dated;
    return attempt(() => Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone).epochMilliseconds);
  }
  if (/^\d\d:\d\d(:\d\d)?$/.test(text)) {
    const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate();
    return attempt(() => today.toPlainDateTime(Temporal.PlainTime.from(text)).toZonedDateTime(zone).epochMilliseconds);
  }
  return undefined;
}

const msPerUnit: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const unitWords = {
  ms: 'ms milli millis millisecond milliseconds',
  s: 's sec secs second seconds',
  m: 'm min mins minute minutes',
  h: 'h hr hrs hour hours',
  d: 'd day days',
  w: 'w week weeks',
  mo: 'mo mon mons month months',
  y: 'y yr yrs year years',
};
const unitOf = new Map(
  Object.entries(unitWords).flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit] as const)),
);

function parseAmountBefore(text: string, zone: string, nowMs: number): number | undefined {
  if (/^now$/i.test(text)) return nowMs;
  if (!/^\d+(\.\d+)? ?[a-z]+(( ?, ?| and | )?\d+(\.\d+)? ?[a-z]+)*$/i.test(text)) return undefined;
  let months = 0;
  let ms = 0;
  for (const [, number, word] of text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/gi)) {
    const unit = unitOf.get((word ?? '').toLowerCase());
    if (unit === undefined) return undefined;
    const amount = Number(number);
    if (unit === 'mo' || unit === 'y') {
      if (!Number.isInteger(amount)) return undefined;
      months += unit === 'y' ? amount * 12 : amount;
    } else {
      ms += amount * (msPerUnit[unit] ?? 0);
    }
  }
  return attempt(() => {
    const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
    return Math.round(now.subtract({ months }).epochMilliseconds - ms);
  });
}

function attempt(parse: () => number): number | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
