import { Temporal } from 'temporal-polyfill';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** As in `Wed Jan  2 09:30:00 2019`, which says no zone. */
const withoutZone = /^\w{3},?\s+(\w{3})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(\d{4})$/;

export interface ElogDate {
  readonly ms: number;
  /** Whether the date was read in the zone that the mapping names. */
  readonly isWithoutZone: boolean;
  /** Whether the date cannot be read and is that of the file. */
  readonly isOfFile: boolean;
}

/**
 * Reads the date of an entry. One that cannot be read is that of its file.
 * @param timeZone of dates that say none, an IANA name
 */
export function readElogDate(text: string, timeZone: string, fileName: string): ElogDate {
  const [, month = '', day, hour, minute, second, year] = withoutZone.exec(text) ?? [];
  const at = months.indexOf(month.toLowerCase());
  if (at >= 0) {
    const fields = {
      year: Number(year),
      month: at + 1,
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
    };
    const ms = Temporal.ZonedDateTime.from({ ...fields, timeZone }).epochMilliseconds;
    return { ms, isWithoutZone: true, isOfFile: false };
  }
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return { ms, isWithoutZone: false, isOfFile: false };
  return { ms: dateOfFile(fileName), isWithoutZone: false, isOfFile: true };
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
