import { decimate } from '../decimate.ts';
import type { PlotAxis, PlotColumn, PlotView } from '../plot-source.ts';
import { readTable, type Table } from './read-table.ts';
import { RowReader } from './row-reader.ts';
import { detectFormat, type TableFormat } from './table-format.ts';

export interface TableText {
  readonly bytes: ArrayBuffer;
  readonly charset: string;
  /** Whether the file is named as a table, and does not only look like one. */
  readonly isNamed: boolean;
}

export interface TableHead {
  readonly axis: PlotAxis;
  readonly columns: readonly PlotColumn[];
  readonly headers: TableFormat['headers'];
  readonly rowCount: number;
}

/** A request to the worker: first a text, then questions about the table in it. */
export type TableRequest =
  | { readonly open: TableText }
  | { readonly view: PlotView }
  | { readonly rows: { readonly from: number; readonly count: number } };

interface OpenTable {
  readonly bytes: Uint8Array;
  readonly format: TableFormat;
  readonly table: Table;
  readonly decoder: TextDecoder;
}

let opened: OpenTable | undefined;

/** Answers each request, in their order; undefined: the text is not a table. */
addEventListener('message', ({ data }: MessageEvent<TableRequest>) => {
  if ('open' in data) postMessage(open(data.open));
  else if (!opened) postMessage(undefined);
  else if ('view' in data) postMessage(decimate(opened.table.x, opened.table.values, data.view));
  else postMessage(readRows(opened, data.rows.from, data.rows.count));
});

function open({ bytes: sent, charset: named, isNamed }: TableText): TableHead | undefined {
  const isWide = named.startsWith('utf-16');
  const bytes = isWide ? new TextEncoder().encode(new TextDecoder(named).decode(sent)) : new Uint8Array(sent);
  const charset = isWide ? 'utf-8' : named;
  const format = detectFormat(bytes, isNamed, charset);
  if (!format) return undefined;
  const table = readTable(bytes, format);
  if (table.x.length < 2 || table.columns.length === 0) return undefined;
  opened = { bytes, format, table, decoder: new TextDecoder(charset) };
  return { axis: table.axis, columns: table.columns, headers: format.headers, rowCount: table.rows.length };
}

function readRows({ bytes, format, table, decoder }: OpenTable, from: number, count: number): string[][] {
  const reader = new RowReader(bytes, format.delimiter);
  return Array.from(table.rows.subarray(from, from + count), (start) => {
    reader.read(start);
    return reader.texts(decoder);
  });
}
