import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../components/format.ts';
import { labelOf } from './plot-format.ts';
import type { PlotRows } from './plot-source.ts';

interface PlotTableProps {
  readonly rows: PlotRows;
  readonly names: readonly string[];
  readonly label: string;
}

/** Maximum number of rows: browsers limit the height of a page. */
const maxRows = 100_000;
const rowPx = 24;
const pageRows = 200;
const [rowNumberEm, columnEm] = [5.5, 9] as const;

/** The same values as a table. Only the rows in view are in the document. */
export function PlotTable({ rows, names, label }: PlotTableProps) {
  const { t } = useTranslation('plot');
  const scroller = useRef<HTMLDivElement>(null);
  const count = Math.min(maxRows, rows.count);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const pages = usePages(rows, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  const cells = (at: number) => pages.get(Math.floor(at / pageRows))?.[at % pageRows];
  const shownCount = formatNumber(count);
  const texts = { shown: shownCount, count: rows.count, all: formatNumber(rows.count) };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className="plot-table" ref={scroller} tabIndex={0} aria-label={label}>
        <div style={{ height: virtual.getTotalSize() + rowPx }}>
          <table
            aria-rowcount={rows.count + 1}
            aria-colcount={names.length + 1}
            style={{ minWidth: `${rowNumberEm + columnEm * names.length}em`, marginTop: items[0]?.start ?? 0 }}
          >
            <thead>
              <tr aria-rowindex={1}>
                <th scope="col" style={{ width: `${rowNumberEm}em` }}>
                  {t('row')}
                </th>
                {names.map((name, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position
                  <th scope="col" key={at}>
                    {labelOf(rows.header[at], name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {items.map(({ index }) => (
                <tr key={index} aria-rowindex={index + 2}>
                  <th scope="row">{formatNumber(index + 1)}</th>
                  {names.map((_, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position
                    <td key={at}>{cells(index)?.[at]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <p className="hint">{rows.count > count ? t('firstRows', texts) : t('rows', texts)}</p>
    </>
  );
}

type Page = readonly (readonly string[])[];

/** The pages of rows between two positions, and those that were read before. */
function usePages(rows: PlotRows, first: number, last: number): ReadonlyMap<number, Page> {
  const [pages, setPages] = useState<ReadonlyMap<number, Page>>(new Map());
  const asked = useRef(new Set<number>());
  const [from, to] = [Math.floor(first / pageRows), Math.floor(last / pageRows)];
  useEffect(() => {
    for (let page = from; page <= to; page += 1) {
      if (asked.current.has(page)) continue;
      asked.current.add(page);
      void rows.read(page * pageRows, pageRows).then(
        (read) => setPages((known) => new Map(known).set(page, read)),
        () => asked.current.delete(page),
      );
    }
  }, [rows, from, to]);
  return pages;
}
