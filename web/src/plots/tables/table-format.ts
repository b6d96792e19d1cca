import { isBlank, isClock, isDate, isNumber, isTime } from './read-value.ts';
import { isComment, type SampleLine, sampleLines, split } from './sample-lines.ts';
import { readHeader } from './table-header.ts';

/** Format of a table: its separators, its columns and its first row. */
export interface TableFormat {
  readonly delimiter: string;
  readonly decimal: '.' | ',';
  /** Start of the first row of values in the text, in bytes. */
  readonly start: number;
  /** Names and units of all columns. */
  readonly headers: readonly { readonly name: string | undefined; readonly unit: string | undefined }[];
  /** Positions of the columns of numbers. */
  readonly numbers: readonly number[];
  /**
   * Kind of the first column. `date-and-clock`: the second column has the time of day. `perMs`: a count since 1970,
   * with this many units in a millisecond. Undefined: it has neither numbers nor times.
   */
  readonly first: 'number' | 'time' | 'date-and-clock' | { readonly perMs: number } | undefined;
}

const delimiters = ['\t', ';', ',', '|', ' '] as const;
/** Minimum share of lines with the same columns, and of numeric cells, unless the text is named like a table. */
const [minShare, minNumeric] = [0.9, 0.6] as const;

/**
 * Detects a table with numbers; undefined: the text is not one. A text that is named like a table may have more words
 * than numbers.
 */
export function detectFormat(bytes: Uint8Array, isNamed: boolean, charset: string): TableFormat | undefined {
  const all = sampleLines(bytes);
  const lines = all.filter(({ text }) => text.trim() !== '' && !isComment(text));
  // Only the second half is rated: the top has names, units and remarks.
  const body = lines.slice(Math.floor(lines.length / 2));
  const [best] = delimiters
    .flatMap((delimiter) => (['.', ','] as const).flatMap((decimal) => rate(body, delimiter, decimal) ?? []))
    .sort((a, b) => b.score - a.score);
  if (!best || (!isNamed && (best.share < minShare || best.numeric < minNumeric))) return undefined;
  const { delimiter, decimal, count } = best;
  const rows = body.map(({ text }) => split(text, delimiter)).filter(({ length }) => length === count);
  const numbers = numericColumns(rows, decimal, count);
  const first = firstColumn(rows, decimal);
  const isValue = (text: string) => isNumber(text, decimal) || isBlank(text) || isTime(text);
  const isRow = ({ text }: SampleLine) => {
    const cells = split(text, delimiter);
    return (
      cells.length === count && numbers.every((at) => isValue(cells[at] ?? '')) && !cells.every((one) => one === '')
    );
  };
  const start = lines.findIndex(isRow);
  if (start < 0 || numbers.length === 0) return undefined;
  const header = readHeader(bytes, { all, lines, start, delimiter, count, charset });
  const isTimeNamed =
    header[0]?.name === undefined || /time|epoch|stamp|date|zeit|temps|heure|ora|^t$/i.test(header[0].name);
  return {
    ...{ delimiter, decimal, start: lines[start]?.at ?? 0, headers: header, numbers },
    first: first === 'number' && isTimeNamed ? (epochOf(rows) ?? first) : first,
  };
}

/** Rates how well a delimiter and a decimal sign explain the lines. */
function rate(lines: readonly SampleLine[], delimiter: string, decimal: '.' | ',') {
  if (delimiter === decimal || lines.length === 0) return undefined;
  const rows = lines.map(({ text }) => split(text, delimiter));
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [count, times] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [0, 0];
  const share = times / rows.length;
  if (count < 2 || share < 0.5) return undefined;
  const cells = rows.filter(({ length }) => length === count).flat();
  const numeric = cells.filter((one) => isNumber(one, decimal) || isTime(one) || isClock(one)).length / cells.length;
  // If no number has a decimal sign, the point is preferred.
  return { delimiter, decimal, count, share, numeric, score: share * (numeric + 0.01) + (decimal === '.' ? 0.001 : 0) };
}

function numericColumns(rows: readonly (readonly string[])[], decimal: '.' | ',', count: number): number[] {
  const columns = Array.from({ length: count }, (_, at) =>
    rows.map((row) => row[at] ?? '').filter((one) => !isBlank(one)),
  );
  return columns.flatMap((values, at) => {
    const numbers = values.filter((one) => isNumber(one, decimal)).length;
    return numbers > 0 && numbers >= values.length * 0.8 ? [at] : [];
  });
}

function firstColumn(
  rows: readonly (readonly string[])[],
  decimal: '.' | ',',
): 'number' | 'time' | 'date-and-clock' | undefined {
  const isMostly = (at: number, is: (text: string) => boolean) =>
    rows.filter((row) => is(row[at] ?? '')).length >= rows.length * 0.8;
  if (isMostly(0, isDate) && isMostly(1, isClock)) return 'date-and-clock';
  if (isMostly(0, isTime)) return 'time';
  return isMostly(0, (text) => isNumber(text, decimal)) ? 'number' : undefined;
}

/** The years 2000 to 2100, in seconds. */
const [earliest, latest] = [946_684_800, 4_102_444_800] as const;

/**
 * Returns the unit in which the first column counts from 1970: seconds, or thousandths, millionths or billionths of
 * one. Undefined: not all of its values are such counts.
 */
function epochOf(rows: readonly (readonly string[])[]): { readonly perMs: number } | undefined {
  const values = rows.map(([first = '']) => Number(first.replace(',', '.')));
  const perSecond = [1, 1e3, 1e6, 1e9].find((one) =>
    values.every((value) => value >= earliest * one && value <= latest * one),
  );
  return perSecond === undefined ? undefined : { perMs: perSecond / 1_000 };
}
