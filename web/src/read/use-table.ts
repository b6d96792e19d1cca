import { useEffect, useState } from 'react';
import type { Attachment } from '../api/types.ts';
import type { PlotSource } from '../plots/plot-source.ts';
import { openTable } from '../plots/tables/open-table.ts';
import { isNamedTable } from './data-files.ts';
import { charsetOf, fetchFile } from './fetch-file.ts';

/** The table in a file; `none`: it is not a table. */
type ReadTable = PlotSource | 'none' | undefined;

/** Reads the file as a table, once it is wanted. */
export function useTable(file: Attachment, isWanted: boolean): { readonly table: ReadTable; readonly error: unknown } {
  const [table, setTable] = useState<ReadTable>();
  const [error, setError] = useState<unknown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attachment never changes
  useEffect(() => {
    if (!isWanted) return undefined;
    const abort = new AbortController();
    let close = () => {};
    const read = async () => {
      const response = await fetchFile(file, { signal: abort.signal });
      const text = { bytes: await response.arrayBuffer(), charset: charsetOf(response), isNamed: isNamedTable(file) };
      const opened = await openTable(text);
      close = opened.close;
      if (abort.signal.aborted) return close();
      return setTable(opened.source ?? 'none');
    };
    read().catch((reason: unknown) => !abort.signal.aborted && setError(reason));
    return () => {
      abort.abort();
      close();
    };
  }, [file.id, isWanted]);
  return { table, error };
}
