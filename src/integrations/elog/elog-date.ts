import { Temporal } from 'temporal-polyfill';
import { quoted } from '../../kernel/fault.js';
import { toEnglishDate } from './elog-months.js';

/** A zone that a date states. Other abbreviations, such as `CET`, stand for the zone of the server. */
const zone = /:\d{2}(?:[.]\d+)?\s*(?:[+-]\d{1,2}:?\d{2}|(?:Z|UTC?|GMT|[ECMP][SD]T)\b)/i;
const otherZone = /(:\d{2}(?:[.]\d+)?)\s+(?![AP]M\b)[a-z]{2,5}\b/i;

export interface ElogDate {
  readonly ms: number;
  /** Whether the date was read in the zone that the mapping names. */
  readonly isWithoutZone: boolean;
  /** Whether the date is that of the file, because the one in the entry cannot be read. */
  readonly isOfFile: boolean;
}

/**
 * Reads the date of an entry; if it cannot be read, returns the date of its file.
 * @param timeZone IANA name of the zone of dates that state none
 */
export function readElogDate(text: string, timeZone: string, fileName: string): ElogDate {
  const english = toEnglishDate(text) ?? '';
  const isWithoutZone = !zone.test(english);
  const ms = isWithoutZone ? parseLocal(english, timeZone) : Date.parse(english);
  if (!Number.isNaN(ms)) return { ms, isWithoutZone, isOfFile: false };
  return { ms: dateOfFile(fileName), isWithoutZone: false, isOfFile: true };
}

/** Returns the remark about a date that cannot be read, with its text; undefined if it could be read. */
export function describeUnread({ isOfFile }: ElogDate, text: string): string | undefined {
  return isOfFile ? `The date ${quoted(text, 100)} cannot be read; the entry has the date of its file.` : undefined;
}

/**
 * Writes seconds since the epoch as readers see them: as a date or a time in the zone of the server. Other values stay.
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

/** The name of a file begins with a date: `YYMMDD`. */
function dateOfFile(fileName: string): number {
  const [, year = '70', month = '01', day = '01'] = /^(\d\d)(\d\d)(\d\d)/.exec(fileName) ?? [];
  const ms = Date.parse(`${yearOf(year)}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(ms) ? 0 : ms;
}

/** Returns the year that two digits of a file name mean, by the rule of ELOG. */
export function yearOf(digits: string): string {
  return `${Number(digits) < 80 ? '20' : '19'}${digits}`;
}
