import type UPlot from 'uplot';
import type { Curves } from './curves.ts';
import { unitsOf } from './curves.ts';
import { formatValue } from './format-value.ts';
import { placeLabels } from './plot-format.ts';
import { labelSpace, logTicks, stateAxis, yScale } from './plot-scales.ts';
import type { PlotAxis, PlotColumn, PlotLimit, PlotPoints, PlotRange } from './plot-source.ts';

/** A view of a plot with its points. */
export interface Drawing {
  readonly axis: PlotAxis;
  readonly columns: readonly PlotColumn[];
  readonly curves: Curves;
  readonly marks: readonly number[];
  readonly limits: readonly PlotLimit[];
  readonly states: readonly string[] | undefined;
  readonly points: PlotPoints;
  readonly range: PlotRange;
  readonly isLogX: boolean;
  readonly isLogY: boolean;
  readonly width: number;
  readonly height: number;
  /** Undefined: the plot stands alone. */
  readonly lane: PlotLane | undefined;
}

/** Frame of a plot that is one of several below each other, with one axis for all. */
interface PlotLane {
  /** Width of the vertical axis, in pixels. */
  readonly gutter: number;
  /** Places of the vertical lines of the grid. */
  readonly ticks: readonly number[];
}

/** Colours and fonts of the theme. */
export interface PlotLook {
  readonly curves: readonly string[];
  readonly line: string;
  readonly text: string;
  readonly surface: string;
  readonly font: string;
}

export function readLook(element: Element): PlotLook {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    curves: [1, 2, 3, 4, 5, 6].map((at) => read(`--curve-${at}`)),
    line: read('--line'),
    text: read('--text-2'),
    surface: read('--surface'),
    font: `11px ${style.fontFamily}`,
  };
}

/** Options of the library, except for its events. */
export function plotOptions(drawing: Drawing, look: PlotLook): UPlot.Options {
  const { axis, columns, curves, range, isLogX, width, height, lane } = drawing;
  const units = unitsOf(curves, columns);
  const shown = curves.flatMap((column, colour) => (column === undefined ? [] : [{ column, colour }]));
  const isOnRight = (column: number) => units.length > 1 && columns[column]?.unit === units[1]?.unit;
  return {
    width,
    height,
    ms: 1,
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
    scales: {
      x: { time: axis.kind === 'time', distr: isLogX ? 3 : 1, range: () => [range.from, range.to] },
      left: yScale(drawing),
      right: yScale(drawing),
    },
    axes: [
      {
        ...axisLook(look),
        space: labelSpace,
        // The library counts from the lower end, which is rarely a round number in an enlarged view.
        ...(isLogX && {
          splits: (_, __, low, high) => logTicks(low, high, width),
          filter: (_, places) => places,
        }),
        // Times have their day below them.
        size: axis.kind === 'time' ? 42 : 26,
        values: (_, places, __, ___, step) => placeLabels(axis, places, step),
        ...(lane && { splits: () => [...lane.ticks], values: () => [], size: 6 }),
      },
      ...units.map((unit, at) => ({
        ...yAxis(unit, at, look),
        ...stateAxis(drawing),
        ...(lane && { size: lane.gutter - (unit.unit === undefined ? 0 : unitSize) }),
      })),
    ],
    ...(lane && { padding: [8, 0, 0, 0], bands: bandsOf(shown.length, look) }),
    series: [
      {},
      ...shown.map(({ column, colour }) => ({
        scale: isOnRight(column) ? 'right' : 'left',
        stroke: look.curves[lane ? 0 : colour] ?? look.text,
        width: lane && column > 0 ? 0.5 : 1.5,
        points: { show: drawing.points.x.length < width / 12 },
        ...(isOnRight(column) && { dash: [5, 3] }),
      })),
    ],
  };
}

function axisLook({ font, line, text }: PlotLook): UPlot.Axis {
  const grid = { stroke: line, width: 1 };
  return { stroke: text, font, labelFont: font, gap: 4, grid, ticks: { ...grid, size: 4 } };
}

/** Returns the area between the lowest and the highest values of a lane. */
function bandsOf(curves: number, { curves: [colour = ''] }: PlotLook): UPlot.Band[] {
  return curves === 3 ? [{ series: [3, 2], fill: `${colour}33` }] : [];
}

const unitSize = 16;

function yAxis({ unit }: { readonly unit: string | undefined }, at: number, look: PlotLook): UPlot.Axis {
  const own = axisLook(look);
  return {
    ...own,
    scale: at === 0 ? 'left' : 'right',
    side: at === 0 ? 3 : 1,
    ...(at === 1 && { grid: { show: false } }),
    ...(unit !== undefined && { label: unit, labelSize: unitSize, labelGap: 0 }),
    values: (_, places) => places.map((place: number | null) => (place === null ? '' : formatValue(place))),
    size: (_, labels) => 14 + 7 * Math.max(3, ...(labels ?? []).map(({ length }) => length)),
  };
}

/** Returns the points in the form of the library: on a logarithmic axis, values that are not positive are gaps. */
export function plotData({ points, isLogY }: Drawing): UPlot.AlignedData {
  const values = points.values.map((one) =>
    isLogY ? one.map((value) => (value !== null && value > 0 ? value : null)) : one,
  );
  return [points.x, ...values] as unknown as UPlot.AlignedData;
}
