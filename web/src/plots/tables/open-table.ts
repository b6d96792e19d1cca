import { startWorker } from '../../app/trusted-types.ts';
import type { PlotPoints, PlotSource, PlotView } from '../plot-source.ts';
import type { TableHead, TableRequest, TableText } from './table-worker.ts';
import workerUrl from './table-worker.ts?worker&url';

/** A table whose text is read in a worker, which must be closed. */
export interface OpenTable {
  /** Undefined: the text is not a table of numbers. */
  readonly source: PlotSource | undefined;
  readonly close: () => void;
}

/** Reads a text as a table, in a worker, so that the page never waits for it. */
export async function openTable(text: TableText): Promise<OpenTable> {
  const worker = startWorker(workerUrl);
  const close = () => worker.terminate();
  const waiting: { resolve: (answer: unknown) => void; reject: (error: Error) => void }[] = [];
  worker.addEventListener('message', ({ data }) => waiting.shift()?.resolve(data));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    for (const { reject } of waiting.splice(0)) reject(new Error(event.message));
  });
  const ask = <Answer>(request: TableRequest, transfer: Transferable[] = []) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ resolve: (answer) => resolve(answer as Answer), reject });
      worker.postMessage(request, transfer);
    });
  try {
    const head = await ask<TableHead | undefined>({ open: text }, [text.bytes]);
    return { source: head && toSource(head, ask), close };
  } catch (error) {
    close();
    throw error;
  }
}

function toSource(
  { axis, columns, headers, rowCount }: TableHead,
  ask: <Answer>(request: TableRequest) => Promise<Answer>,
): PlotSource {
  return {
    axis,
    columns,
    points: (view: PlotView) => ask<PlotPoints>({ view }),
    rows: {
      header: headers,
      count: rowCount,
      read: (from, count) => ask<string[][]>({ rows: { from, count } }),
    },
  };
}
