import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWidth } from '../components/use-width.ts';
import { firstCurves, toggleCurve } from './curves.ts';
import './plot.css';
import { formatReading } from './format-value.ts';
import { PlotCanvas } from './plot-canvas.tsx';
import { formatPlace, labelOf } from './plot-format.ts';
import { PlotLegend } from './plot-legend.tsx';
import { readLook } from './plot-options.ts';
import type { PlotAxis, PlotColumn, PlotRange, PlotSource } from './plot-source.ts';
import { PlotTable } from './plot-table.tsx';
import { PlotTools } from './plot-tools.tsx';
import { savePicture } from './save-picture.ts';
import { useDrawing } from './use-drawing.ts';
import { usePlotCursor, usePlotKeys } from './use-plot-keys.ts';

interface PlotProps {
  readonly source: PlotSource;
  /** Name of the plot, and of its picture when it is saved. */
  readonly name: string;
  /** Height of the curves in pixels. */
  readonly height: number;
  /** Shown in place of the name. */
  readonly title?: ReactNode;
  /** Whether the vertical axes are logarithmic at first. */
  readonly isLogY?: boolean;
}

/** Series as curves, or as a table. */
export function Plot({ source, name, height, title, isLogY: startsLogY = false }: PlotProps) {
  const { t } = useTranslation('plot');
  const { axis, columns } = source;
  const box = useRef<HTMLElement>(null);
  const picture = useRef<(() => HTMLCanvasElement | undefined) | null>(null);
  const [shows, show] = useState<'plot' | 'table'>(columns.length > 0 ? 'plot' : 'table');
  const [curves, setCurves] = useState(() => firstCurves(columns));
  const [isLogX, setLogX] = useState(false);
  const [isLogY, setLogY] = useState(startsLogY);
  const view = useDrawing(source, { curves, isLogX, isLogY, width: useWidth(box), height }, useState<PlotRange>());
  const { drawing } = view;
  const keys = usePlotKeys({ ...view, ...usePlotCursor() });
  const nameOf = (one: { readonly name: string | undefined }, at: number) =>
    one.name ?? t('column', { number: at + 1 });
  const names = columns.map(nameOf);
  const values = drawing?.points.values.map((one) => (keys.cursor === undefined ? undefined : one[keys.cursor])) ?? [];
  const x = keys.cursor === undefined ? undefined : drawing?.points.x[keys.cursor];
  const place = x === undefined ? undefined : formatPlace({ ...axis, ...drawing?.range }, x);
  const shown = curves.flatMap((column, colour) => (column === undefined ? [] : [{ column, colour }]));
  const reading = shown.map(({ column }, at) => readingOf(columns[column], names[column], values[at]));
  const save = () => {
    const canvas = picture.current?.();
    if (!canvas || !box.current) return;
    const labels = shown.map(({ column, colour }) => ({ colour, name: labelOf(columns[column], names[column]) }));
    savePicture(canvas, readLook(box.current), { title: name, labels });
  };
  return (
    <figure className="plot" aria-label={name} ref={box}>
      <PlotTools
        {...{ canDraw: columns.length > 0, shows, show, isLogX, setLogX, isLogY, setLogY, save }}
        title={title ?? <b className="cut">{name}</b>}
        hasLogX={axis.kind === 'number' && axis.positiveFrom !== undefined}
        zoom={keys.zoom}
        onWhole={() => view.setRange(undefined)}
      />
      {shows === 'table' && (
        <PlotTable rows={source.rows} names={source.rows.header.map(nameOf)} label={t('tableOf', { name })} />
      )}
      {shows === 'plot' && (
        <>
          {drawing && (
            <PlotCanvas
              {...{ drawing, picture, cursor: keys.cursor, onKey: keys.onKey }}
              label={t('cursorOf', { name })}
              valueText={place === undefined ? t('cursorHint') : `${place}: ${reading.join(', ')}`}
              onCursor={(at) => keys.setCursor(at)}
              onRange={view.setRange}
            />
          )}
          {!drawing && <div className="plot-canvas" style={{ height }} />}
          <p className="plot-place number">{view.hasFailed ? t('failed') : (place ?? axisName(axis, t))}</p>
          <PlotLegend
            {...{ columns, names, curves, values }}
            onToggle={(column) => setCurves(toggleCurve(curves, column, columns))}
          />
        </>
      )}
    </figure>
  );
}

/** Returns a reading such as `Current 182.4 A`, with a dash if there is no value. */
function readingOf(column: PlotColumn | undefined, name = '', value: number | null | undefined): string {
  const text = typeof value === 'number' ? `${formatReading(column ?? {}, value)} ${column?.unit ?? ''}` : '–';
  return `${name} ${text}`.trim();
}

type Translate = ReturnType<typeof useTranslation<'plot'>>['t'];

function axisName(axis: PlotAxis, t: Translate): string {
  const fallback = { time: t('time'), row: t('row'), number: t('firstColumn') }[axis.kind];
  return labelOf(axis, axis.name ?? fallback);
}
