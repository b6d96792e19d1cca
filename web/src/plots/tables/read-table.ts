import type { PlotAxis, PlotColumn } from '../plot-source.ts';
import { readNumber, TimeReader } from './read-value.ts';
import { RowReader } from './row-reader.ts';
import type { TableFormat } from './table-format.ts';

/** The numbers of a table, and the positions of its rows. */
export interface Table {
  readonly axis: PlotAxis;
  readonly x: Float64Array;
  readonly columns: readonly PlotColumn[];
  readonly values: readonly Float64Array[];
  /** Start of each row in the text, in bytes. */
  readonly rows: Uint32Array;
}

/** Reads all rows. A value that is not a number is a gap. */
export function readTable(bytes: Uint8Array, format: TableFormat): Table {
  const { headers, numbers, first } = format;
  const capacity = countLines(bytes, format.start);
  const rows = new Uint32Array(capacity);
  const x = new Float64Array(capacity);
  const all = numbers.map(() => new Float64Array(capacity));
  const count = readRows(bytes, format, { rows, x, all });
  const order = first === undefined ? undefined : orderOf(x.subarray(0, count), first === 'number');
  const isPlottable = first !== undefined && order !== undefined;
  const skipped = isPlottable ? 0 : -1;
  const sorted = (values: Float64Array) =>
    order instanceof Uint32Array ? pick(values, order) : values.subarray(0, count);
  const shown = numbers.flatMap((column, at) => (column === skipped ? [] : [{ column, values: all[at] }]));
  const xs = isPlottable ? sorted(x) : Float64Array.from({ length: count }, (_, at) => at + 1);
  const { name, unit } = headers[0] ?? {};
  const kind = isPlottable ? (first === 'number' ? 'number' : 'time') : 'row';
  return {
    axis: {
      ...{ kind, from: xs[0] ?? 0, to: xs.at(-1) ?? 0, positiveFrom: xs.find((one) => one > 0) },
      ...{ name: isPlottable ? name : undefined, unit: kind === 'number' ? unit : undefined },
    },
    x: xs,
    columns: shown.map(({ column }) => headers[column] ?? { name: undefined, unit: undefined }),
    values: shown.map(({ values }) => sorted(values ?? new Float64Array(count))),
    rows: rows.subarray(0, count),
  };
}

function countLines(bytes: Uint8Array, start: number): number {
  let count = 1;
  for (let at = bytes.indexOf(10, start); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  for (let at = bytes.indexOf(13, start); at >= 0; at = bytes.indexOf(13, at + 1)) if (bytes[at + 1] !== 10) count += 1;
  return count;
}

interface Columns {
  readonly rows: Uint32Array;
  readonly x: Float64Array;
  readonly all: readonly Float64Array[];
}

/** @returns the number of rows */
function readRows(bytes: Uint8Array, format: TableFormat, { rows, x, all }: Columns): number {
  const { decimal, first, numbers } = format;
  const reader = new RowReader(bytes, format.delimiter);
  const { starts, ends } = reader;
  const times = new TimeReader();
  const start = (at: number) => starts[at] as number;
  const end = (at: number) => ends[at] as number;
  let count = 0;
  for (let at = format.start; at < bytes.length; ) {
    const next = reader.read(at);
    if (reader.count > 0) {
      rows[count] = at;
      if (first === 'number') x[count] = readNumber(bytes, start(0), end(0), decimal);
      else if (first === 'time') x[count] = times.read(bytes, start(0), end(0));
      else if (first === 'date-and-clock') x[count] = times.read(bytes, start(0), end(0), start(1), end(1));
      else if (first) x[count] = readNumber(bytes, start(0), end(0), decimal) / first.perMs;
      for (const [to, column] of numbers.entries()) {
        const values = all[to] as Float64Array;
        values[count] = column < reader.count ? readNumber(bytes, start(column), end(column), decimal) : Number.NaN;
      }
      count += 1;
    }
    at = next;
  }
  return count;
}

/**
 * Returns the order in which the rows are plotted, without those that have no place. `file`: the order of the file.
 * Undefined: the numbers rise and fall, as in a cycle, and cannot be an axis.
 */
function orderOf(x: Float64Array, isNumber: boolean): Uint32Array | 'file' | undefined {
  let [rises, falls, gaps] = [0, 0, 0];
  for (let at = 1; at < x.length; at += 1) {
    const step = (x[at] as number) - (x[at - 1] as number);
    if (step > 0) rises += 1;
    else if (step < 0) falls += 1;
    else if (step !== 0) gaps += 1;
  }
  if (rises + falls === 0 || (isNumber && rises > 0 && falls > 0)) return undefined;
  if (falls === 0 && gaps === 0) return 'file';
  const placed = Uint32Array.from(x.keys()).filter((at) => !Number.isNaN(x[at]));
  return placed.sort((a, b) => (x[a] as number) - (x[b] as number));
}

function pick(values: Float64Array, order: Uint32Array): Float64Array {
  return Float64Array.from(order, (at) => values[at] as number);
}
