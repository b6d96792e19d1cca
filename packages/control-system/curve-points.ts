import type { DeviceHistory } from './device-view.js';

/** Part of a plot: a time range, in milliseconds since the epoch, and the columns to draw. */
export interface CurvePart {
  readonly from: number;
  readonly to: number;
  readonly columns: readonly number[];
}

/** Points to draw, with one list of values for each column; null for a gap. */
export interface CurvePoints {
  readonly x: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
}

/**
 * Returns the points of a curve. A value lasts until the next one, so each step has two points. A mean represents its
 * interval, and has one point. The columns are 0 for the value, 1 for the lowest and 2 for the highest value.
 */
export function pointsOf(history: DeviceHistory, { from, to, columns }: CurvePart): CurvePoints {
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
