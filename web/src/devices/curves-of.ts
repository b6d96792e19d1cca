import type { DeviceHistory } from '../../../packages/control-system/device-view.ts';
import { mergedPoints } from '../../../packages/control-system/merge-points.ts';
import { formatDay, formatTime } from '../components/format.ts';
import { formatCell } from '../plots/format-value.ts';
import { labelOf } from '../plots/plot-format.ts';
import type { PlotColumn, PlotSource } from '../plots/plot-source.ts';

/** The values of several devices over the same time as one plot, with one axis. */
export function curvesOf(curves: readonly DeviceHistory[], time: string): PlotSource {
  const isAlike = new Set(curves.map(({ units }) => units)).size === 1;
  const columns = curves.map(({ name, units, precision, states }): PlotColumn => {
    const unit = units ?? undefined;
    // The axis shows a unit only if all curves share it; otherwise, the name of each curve has its unit.
    return isAlike
      ? { name, unit, precision, states }
      : { name: labelOf({ name, unit }, name), unit: undefined, precision, states };
  });
  const [from, to] = [Math.min(...curves.map(({ start }) => start)), Math.max(...curves.map(({ end }) => end))];
  // Each moment has two points.
  const all = mergedPoints(curves, { from, to, columns: curves.map((_, at) => at) });
  const count = all.x.length / 2;
  const rowOf = (row: number) => {
    const at = all.x[2 * row] ?? from;
    const values = curves.map((curve, column) => formatCell(curve, all.values[column]?.[2 * row] ?? null));
    return [`${formatDay(at)}, ${formatTime(at, true)}`, ...values];
  };
  return {
    axis: { kind: 'time', name: time, unit: undefined, from, to, positiveFrom: undefined },
    columns,
    points: async (view) => mergedPoints(curves, view),
    rows: {
      header: [{ name: time, unit: undefined }, ...columns],
      count,
      read: async (start, wanted) =>
        Array.from({ length: Math.max(0, Math.min(wanted, count - start)) }, (_, at) => rowOf(start + at)),
    },
  };
}
