import { Temporal } from 'temporal-polyfill';
import { quoted } from '../../kernel/fault.js';
import { toEnglishDate } from './elog-months.js';

/** Matches the zone in a date. Other abbreviations, such as `CET`, mean the zone of the server. */
const zone = /:\d{2}(?:[.]\d+)?\s*(?:[+-]\d{1,2}:?\d{2}|(?:Z|UTC?|GMT|[ECMP][SD]T)\b)/i;
const otherZone = /(:\d{2}(?:[.]\d+)?)\s+(?![AP]M\b)[a-z]{2,5}\b/i;

export interface ElogDate {
  readonly ms: number;
  /** Whether the date states no zone, so that the zone of the mapping was used. */
  readonly isWithoutZone: boolean;
  /** Whether it is the date of the file, because the date in the entry cannot be read. */
  readonly isOfFile: boolean;
}

/**
 * Reads the date of an entry; if it cannot be read, returns the date of its file.
 * @param timeZone IANA name of the zone for dates without one
 */
export function readElogDate(text: string, timeZone: string, fileName: string): ElogDate {
  const english = toEnglishDate(text) ?? '';
  const isWithoutZone = !zone.test(english);
  const ms = isWithoutZone ? parseLocal(english, timeZone) : Date.parse(english);
  if (!Number.isNaN(ms)) return { ms, isWithoutZone, isOfFile: false };
  return { ms: dateOfFile(fileName), isWithoutZone: false, isOfFile: true };
}

/** Returns the remark about a date that cannot be read; undefined if it was read. */
export function describeUnread({ isOfFile }: ElogDate, text: string): string | undefined {
  return isOfFile ? `The date ${quoted(text, 100)} cannot be read; the entry has the date of its file.` : undefined;
}

/**
 * Formats seconds since the epoch as ELOG shows them: as a date or a time in the zone of the server. Returns other
 * values unchanged.
 */
export function writeElogTime(value: string, type: 'date' | 'datetime', timeZone: string): string {
  if (!/^[1-9]\d{0,11}$/.test(value)) return value;
  const local = Temporal.Instant.fromEpochMilliseconds(Number(value) * 1_000).toZonedDateTimeISO(timeZone);
  const date = local.toPlainDate().toString();
  return type === 'date' ? date : `${date} ${local.toPlainTime().toString({ smallestUnit: 'second' })}`;
}

function parseLocal(text: string, timeZone: string): number {
  const ms = Date.parse(`${text.replace(otherZone, '$1').replace(/(\d)T(\d)/, '$1 $2')} GMT`);
  if (Number.isNaN(ms)) return ms;
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC').toPlainDateTime();
  return local.toZonedDateTime(timeZone).epochMilliseconds;
}

/** Returns the date in the name of a file, which begins with `YYMMDD`. */
function dateOfFile(fileName: string): number {
  const [, year = '70', month = '01', day = '01'] = /^(\d\d)(\d\d)(\d\d)/.exec(fileName) ?? [];
  const ms = Date.parse(`${yearOf(year)}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(ms) ? 0 : ms;
}

/** Returns the year for the two digits in a file name, by the rule of ELOG. */
export function yearOf(digits: string): string {
  return `${Number(digits) < 80 ? '20' : '19'}${digits}`;
}
