import { Temporal } from 'temporal-polyfill';
import { Fault, quoted } from '../kernel/fault.js';

const examples = '“2024-03-01 14:30”, “14:30”, “2024-03-01T14:30:00Z”, “12 hours” or “now”';

/**
 * Returns the zone in the form in which it is used: an IANA name or an offset.
 * @throws Fault invalid `search.bad-zone`
 */
export function checkZone(zone: string): string {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(offsetOf(zone) ?? zone).timeZoneId;
  } catch {
    throw new Fault(
      'invalid',
      'search.bad-zone',
      `${quoted(zone)} is not a time zone. Use a name from the IANA list, such as Europe/Berlin, or an offset such as +02:00 or Z.`,
    );
  }
}

/**
 * Returns the offset that `Z`, `+2`, `+02:00`, `+0200`, `GMT+2` or `UTC+02:00` stands for; undefined for anything else.
 * A plus sign that a client did not escape arrives as a space, which may have been trimmed.
 */
function offsetOf(zone: string): string | undefined {
  if (/^z$/i.test(zone)) return 'UTC';
  const written = /^\d\d:\d\d$/.test(zone) ? `+${zone}` : zone;
  const [, sign, hours = '', minutes = '00'] = /^(?:GMT|UTC|UT)?([+ -])(\d{1,2})(?::?([0-5]\d))?$/i.exec(written) ?? [];
  if (sign === undefined || Number(hours) > 18) return undefined;
  return `${sign === '-' ? '-' : '+'}${hours.padStart(2, '0')}:${minutes}`;
}

/**
 * Returns the instant that an expression denotes, in milliseconds since the epoch.
 *
 * Supported: `yyyy-MM-dd[ HH:mm[:ss[.SSS]]]` and ISO 8601 without offset (in `zone`), `HH:mm[:ss]` (today in `zone`),
 * ISO 8601 with offset or `Z`, epoch milliseconds, `now`, and amounts before now such as `2 weeks 3 d` (months and
 * years by the calendar in `zone`). A local time that a clock change skips is moved forward by the gap; of one that
 * occurs twice the earlier is used, as in java.time.
 * @throws Fault invalid `search.bad-time`
 */
export function parseTime(expression: string, zone: string, nowMs: number): number {
  const text = expression.trim();
  const ms =
    parseEpoch(text) ?? parseInstant(text) ?? parseLocal(text, zone, nowMs) ?? parseAmountBefore(text, zone, nowMs);
  if (ms === undefined || !Number.isSafeInteger(ms) || Math.abs(ms) > 8.64e15) {
    throw new Fault(
      'invalid',
      'search.bad-time',
      `${quoted(expression)} is not a time. Write for example ${examples}.`,
    );
  }
  return ms;
}

function parseEpoch(text: string): number | undefined {
  return /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
}

/** The pattern excludes the other forms that Temporal accepts. */
function parseInstant(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)$/i.exec(text);
  if (!match) return undefined;
  const [, date, time, offset] = match;
  return attempt(() => Temporal.Instant.from(`${date}T${time}${offset?.toUpperCase()}`).epochMilliseconds);
}

function parseLocal(text: string, zone: string, nowMs: number): number | undefined {
  const dated = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?))?$/i.exec(text);
  if (dated) {
    const [, date, time = '00:00'] = dated;
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
