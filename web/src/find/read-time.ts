/** A time in the form that the search takes, and its value. */
export interface ReadTime {
  readonly text: string;
  readonly ms: number;
}

interface Clock {
  readonly nowMs: number;
  /** Whether the time is the end of a range, which includes the whole of its day or year. */
  readonly isEnd: boolean;
  /** Language of the names of months, days and units, in addition to English. */
  readonly locale: string;
}

/**
 * Reads a time as someone writes it: as the search takes it, or with the name of a month, such as `1 March 14:30`, as
 * `1.3.2026`, or as `yesterday`. A day without a year is the last such day that has begun. Undefined for any other
 * text.
 */
export function readTime(written: string, clock: Clock): ReadTime | undefined {
  const text = written
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(^| )(\d:\d\d)/, '$10$2');
  const ms = msOf(text, clock);
  if (ms !== undefined) return { text, ms };
  const [, day = '', time = ''] = /^(.*?)(?:,?( \d\d:\d\d(?::\d\d)?))?$/.exec(text) ?? [];
  const date = readDay(day, clock);
  const local = date === undefined ? undefined : date + time;
  const localMs = local === undefined ? undefined : msOf(local, clock);
  if (local !== undefined && localMs !== undefined) return { text: local, ms: localMs };
  return readAmount(text, clock);
}

const english = 'en';
const offsetTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)? ?(?:Z|[+-]\d\d(?::?\d\d)?))$/i;
const century = '(?:19|20|21)\\d\\d';
const days = [/^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d.*))?$/, new RegExp(`^(${century})(\\d\\d)(\\d\\d)$`)];
const years = new RegExp(`^${century}$`);
const clockTime = /^(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?$/;

/** Returns the value of a time that the search takes, other than an amount. */
function msOf(text: string, { nowMs, isEnd }: Clock): number | undefined {
  if (/^now$/i.test(text)) return nowMs;
  if (/^(?:\d{10}|\d{13})$/.test(text)) return Number(text) * (text.length === 10 ? 1_000 : 1);
  const [isOffset, date, time = ''] = offsetTime.exec(text) ?? [];
  if (isOffset !== undefined) return inCalendar(Date.parse(`${date}T${time.replace(' ', '')}`));
  if (years.test(text)) return new Date(Number(text) + (isEnd ? 1 : 0), 0, 1).getTime() - (isEnd ? 1 : 0);
  const [, ...parts] = days.map((pattern) => pattern.exec(text)).find((match) => match !== null) ?? [];
  if (parts.length > 0) return localMs(parts, isEnd);
  const now = new Date(nowMs);
  return clockTime.test(text)
    ? localMs([now.getFullYear(), now.getMonth() + 1, now.getDate(), text], isEnd)
    : undefined;
}

/** Returns the time; undefined if no date can represent it. */
function inCalendar(ms: number): number | undefined {
  return Number.isNaN(new Date(ms).getTime()) ? undefined : ms;
}

function localMs(
  [year, month, day, time]: readonly (string | number | undefined)[],
  isEnd: boolean,
): number | undefined {
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // The 31st of a short month would be another day.
  if (date.getMonth() !== Number(month) - 1 || date.getDate() !== Number(day)) return undefined;
  if (time === undefined) return isEnd ? date.setDate(date.getDate() + 1) - 1 : date.getTime();
  const [isTime, hours, minutes, seconds = 0] = clockTime.exec(String(time)) ?? [];
  if (isTime === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return date.setHours(Number(hours), Number(minutes), Number(seconds));
}

/** Returns a day as `2026-03-01`. */
function readDay(text: string, { nowMs, locale }: Clock): string | undefined {
  const now = new Date(nowMs);
  for (const days of [0, -1]) {
    if (isRelativeDay(text, days, locale)) {
      return isoDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
    }
  }
  const [day, month, year] = numberedDay(text, locale) ?? namedDay(text, locale) ?? [];
  if (day === undefined) return undefined;
  // The last 29 February may be eight years ago.
  const inYears = year === undefined ? Array.from({ length: 9 }, (_, ago) => now.getFullYear() - ago) : [Number(year)];
  const found = inYears
    .map((one) => new Date(one, Number(month) - 1, Number(day)))
    .find(
      (date) =>
        date.getMonth() === Number(month) - 1 &&
        date.getDate() === Number(day) &&
        (year !== undefined || date.getTime() <= nowMs),
    );
  return found && isoDay(found);
}

type DayParts = readonly [day: string | undefined, month: string | number, year: string | undefined];

/** Whether the text says today (0) or yesterday (-1). */
function isRelativeDay(text: string, days: number, locale: string): boolean {
  return [english, locale].some((language) => {
    const name = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day');
    return plain(text) === plain(name);
  });
}

function numberedDay(text: string, locale: string): DayParts | undefined {
  const [isDay, day, month = '', year] = /^(\d{1,2})\. ?(\d{1,2})\.(?: ?(\d{4}))?$/.exec(text) ?? [];
  if (isDay !== undefined) return [day, month, year];
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  if (slashed && isDayFirst(locale)) return [slashed[1], slashed[2] ?? '', slashed[3]];
  const [isIso, isoYear, isoMonth = '', isoDate] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  return isIso === undefined ? undefined : [isoDate, isoMonth, isoYear];
}

/** Whether dates in numbers begin with the day. */
function isDayFirst(locale: string): boolean {
  const parts = new Intl.DateTimeFormat(locale).formatToParts(0);
  return parts.find(({ type }) => type === 'day' || type === 'month')?.type === 'day';
}

/** Reads `1 March 2026`, `1. März` or `March 1, 2026`. */
function namedDay(text: string, locale: string): DayParts | undefined {
  const [, day, name, year] =
    /^(\d{1,2})(?:st|nd|rd|th|er|\.|°|º)? (?:of )?(\p{L}+)\.?,?(?: (\d{4}))?$/iu.exec(text) ?? [];
  const [, otherName, otherDay, otherYear] =
    /^(\p{L}+)\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?$/iu.exec(text) ?? [];
  const month = monthOf(name ?? otherName ?? '', locale);
  return month === undefined ? undefined : [day ?? otherDay, month, year ?? otherYear];
}

/** Returns the month, from 1, whose name begins with these letters. At least three letters are required. */
function monthOf(name: string, locale: string): number | undefined {
  if (name.length < 3) return undefined;
  for (const language of [english, locale]) {
    const format = new Intl.DateTimeFormat(language, { month: 'long' });
    for (let month = 1; month <= 12; month += 1) {
      if (plain(format.format(new Date(2026, month - 1, 1))).startsWith(plain(name))) return month;
    }
  }
  return undefined;
}

function isoDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const minute = 60_000;
const month = 43_830 * minute;
/** Name and length of each unit, and its forms in a search. */
const units = [
  ['millisecond', 1, /^(?:ms|millis?|milliseconds?)$/],
  ['second', 1_000, /^(?:s|secs?|seconds?)$/],
  ['minute', minute, /^(?:m|mins?|minutes?)$/],
  ['hour', 60 * minute, /^(?:h|hrs?|hours?)$/],
  ['day', 1_440 * minute, /^(?:d|days?)$/],
  ['week', 10_080 * minute, /^(?:w|weeks?)$/],
  ['month', month, /^(?:mo|mons?|months?)$/],
  ['year', 12 * month, /^(?:y|yrs?|years?)$/],
] as const;

/** Whether the word is the unit in this language, in full or abbreviated. German adds an `n` after prepositions. */
function isUnit(word: string, unit: string, locale: string): boolean {
  return (['long', 'short'] as const).some((unitDisplay) => {
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
    return [1, 2, 5].some((number) => {
      const name = format.formatToParts(number).find(({ type }) => type === 'unit')?.value ?? '';
      return plain(name) === plain(word) || `${plain(name)}n` === plain(word);
    });
  });
}

/** The letters without case, accents and the dot of an abbreviation. */
function plain(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').replace(/’/g, "'").replace(/\.$/, '').toLowerCase();
}

/** Reads an amount before now, such as `2 weeks 3 d`. */
function readAmount(text: string, { nowMs, locale }: Clock): ReadTime | undefined {
  const joint = '(?: ?, ?| and | und | et | e | )?';
  if (!new RegExp(`^\\d+(?:\\.\\d+)? ?\\p{L}+\\.?(?:${joint}\\d+(?:\\.\\d+)? ?\\p{L}+\\.?)*$`, 'u').test(text))
    return undefined;
  const parts = Array.from(text.matchAll(/(\d+(?:\.\d+)?) ?(\p{L}+)/gu), ([, number = '', word = '']) => {
    const searched = units.find(([, , pattern]) => pattern.test(word.toLowerCase()));
    const unit = searched ?? units.find(([name]) => isUnit(word, name, locale));
    // A fraction of a month has no length.
    const isPart = unit !== undefined && unit[1] >= month && number.includes('.');
    return unit === undefined || isPart ? undefined : { number, unit, isSearched: searched !== undefined };
  }).filter((part) => part !== undefined);
  if (parts.length < (text.match(/\d+(?:\.\d+)?/g)?.length ?? 0)) return undefined;
  const ms = inCalendar(parts.reduce((sum, { number, unit }) => sum - Number(number) * unit[1], nowMs));
  if (ms === undefined) return undefined;
  const isForSearch = parts.every(({ isSearched }) => isSearched) && !/ (?:und|et|e) |\p{L}\./u.test(text);
  return { text: isForSearch ? text : parts.map(({ number, unit }) => `${number} ${unit[0]}s`).join(' '), ms };
}
