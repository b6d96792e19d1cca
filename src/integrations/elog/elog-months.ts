/** Beginnings of the names of the months, in the languages of ELOG, without accents and in lower case. */
const beginnings: readonly string[] = [
  'jan gen ene sty led oca янв яну',
  'feb fev lut uno sub фев',
  'mar maa mrt bre мар',
  'apr avr abr kwi dub nis апр',
  'mai maj may mei mag kve маи мая',
  'jun juin giu cze cerven cervna haz июн юни',
  'jul juil lug lip cervenec cervence tem июл юли',
  'aug aou ago agu sie srp авг',
  'sep set sze wrz zar eyl сен',
  'oct okt ott out paz rij eki окт',
  'nov lis kas ноя ное',
  'dec dez dic des gru pro ara дек',
];
const english = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const months: ReadonlyMap<string, string> = new Map(
  beginnings.flatMap((words, at) => words.split(' ').map((word) => [word, english[at] as string])),
);
const longest = 8;

const word = '\\p{L}[\\p{L}\\p{M}]*';
const weekday = `${word}[.]?,?`;
const time = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.]\\d+)?)?';
const dayFirst = new RegExp(
  `^(?:${weekday}\\s+)?(\\d{1,2})[.]?\\s+(?:de\\s+)?(${word})[.]?\\s+(?:de\\s+)?(\\d{4}|\\d{2})(?:,?\\s+(${time}.*))?$`,
  'u',
);
/** The form of `ctime`. */
const monthFirst = new RegExp(
  `^${weekday}\\s+(${word})[.]?\\s+(\\d{1,2})\\s+(${time})((?:\\s+[A-Z]{2,5})?)\\s+(\\d{4})$`,
  'u',
);
const numeric = new RegExp(`^(?:${weekday}\\s+)?(\\d{1,2})[.](\\d{1,2})[.](\\d{4}|\\d{2})(?:,?\\s+(${time}.*))?$`, 'u');

/**
 * Replaces the name of the month in a date with the English one, because servers and scripts may use other languages.
 * Returns other texts unchanged, and undefined when the month is unknown.
 */
export function toEnglishDate(text: string): string | undefined {
  const trimmed = text.trim();
  const [isDayFirst, ...first] = dayFirst.exec(trimmed) ?? [];
  if (isDayFirst !== undefined) return write(first[0], findMonth(first[1]), first[2], first[3]);
  const [isMonthFirst, month, day, clock, zone = '', year] = monthFirst.exec(trimmed) ?? [];
  if (isMonthFirst !== undefined) return write(day, findMonth(month), year, `${clock}${zone}`);
  const [isNumeric, ...numbers] = numeric.exec(trimmed) ?? [];
  if (isNumeric !== undefined) return write(numbers[0], english[Number(numbers[1]) - 1], numbers[2], numbers[3]);
  return trimmed;
}

function write(day = '', month: string | undefined, year = '', clock = ''): string | undefined {
  return month === undefined ? undefined : `${day} ${month} ${year} ${clock}`.trim();
}

function findMonth(name = ''): string | undefined {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  for (let length = Math.min(plain.length, longest); length >= 3; length--) {
    const month = months.get(plain.slice(0, length));
    if (month !== undefined) return month;
  }
  return undefined;
}
