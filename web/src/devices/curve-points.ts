import type { DeviceHistory } from '../../../packages/control-system/device-view.ts';
import type { PlotPoints, PlotView } from '../plots/plot-source.ts';

/** A value lasts until the next one: each step has two points. A mean stands for its interval, and has one. */
export function pointsOf(
  history: DeviceHistory,
  { from, to, columns }: Pick<PlotView, 'from' | 'to' | 'columns'>,
): PlotPoints {
  const { samples, gaps, isBinned, end } = history;
  const x: number[] = [];
  const rows: (number | null)[][] = [];
  const add = (at: number, row: readonly (number | null)[]) => {
    x.push(Math.max(at, x.at(-1) ?? at));
    rows.push(columns.map((column) => row[column] ?? row[0] ?? null));
  };
  for (const [index, sample] of samples.entries()) {
    const next = samples[index + 1]?.at ?? end;
    if (next < from || sample.at > to) continue;
    const { value } = sample;
    const row = [value, sample.min ?? value, sample.max ?? value];
    add(Math.max(sample.at, history.start), row);
    const gap = gaps.find(({ start }) => start >= sample.at && start < next);
    if (gap) {
      if (!isBinned) add(gap.start, row);
      add(gap.start, [null, null, null]);
    } else if (!isBinned) add(Math.min(next, end), row);
  }
  return { x, values: columns.map((_, at) => rows.map((row) => row[at] ?? null)) };
}
