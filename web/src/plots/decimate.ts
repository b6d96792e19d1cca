import type { PlotPoints, PlotView } from './plot-source.ts';

/**
 * Returns the points of a view: all of them if they are few, else the lowest and the highest value of each column of
 * pixels, in their order. `x` never decreases; NaN among the values of `columns` is a gap.
 */
export function decimate(x: Float64Array, columns: readonly Float64Array[], view: PlotView): PlotPoints {
  const shown = view.columns.map((at) => columns[at] ?? new Float64Array(x.length).fill(Number.NaN));
  // With a point on each side, so that lines reach the edges.
  const least = view.isLogX ? firstAbove(x, 0) : 0;
  const first = Math.max(least, firstAtLeast(x, view.from) - 1);
  const end = Math.min(x.length, firstAbove(x, view.to) + 1);
  if (end - first <= 2 * view.width) return allPoints(x, shown, first, end);
  const points = { x: [] as number[], values: shown.map(() => [] as (number | null)[]) };
  const pixelOf = pixels(view);
  for (let from = first; from < end; ) {
    const pixel = pixelOf(x[from] as number);
    let to = from + 1;
    while (to < end && pixelOf(x[to] as number) === pixel) to += 1;
    points.x.push(x[from] as number);
    if (to - from > 1) points.x.push(x[to - 1] as number);
    for (const [at, column] of shown.entries()) points.values[at]?.push(...extremes(column, from, to));
    from = to;
  }
  return points;
}

/** The position of the first value that is at least the limit. */
function firstAtLeast(x: Float64Array, limit: number): number {
  return search(x, (value) => value >= limit);
}

function firstAbove(x: Float64Array, limit: number): number {
  return search(x, (value) => value > limit);
}

function search(x: Float64Array, isIn: (value: number) => boolean): number {
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isIn(x[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function pixels({ from, to, width, isLogX }: PlotView): (value: number) => number {
  const scale = isLogX ? Math.log : (value: number) => value;
  const [start, length] = [scale(from), scale(to) - scale(from) || 1];
  return (value) => Math.floor(((scale(value) - start) / length) * width);
}

function allPoints(x: Float64Array, columns: readonly Float64Array[], from: number, to: number): PlotPoints {
  return {
    x: [...x.subarray(from, to)],
    values: columns.map((column) => Array.from(column.subarray(from, to), orGap)),
  };
}

const orGap = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Returns the lowest and the highest value of some rows, in their order; one value for one row. */
function extremes(column: Float64Array, from: number, to: number): (number | null)[] {
  if (to - from === 1) return [orGap(column[from] as number)];
  let [low, high] = [-1, -1];
  for (let at = from; at < to; at += 1) {
    const value = column[at] as number;
    if (Number.isNaN(value)) continue;
    if (low < 0 || value < (column[low] as number)) low = at;
    if (high < 0 || value > (column[high] as number)) high = at;
  }
  if (low < 0) return [null, null];
  return [column[Math.min(low, high)] as number, column[Math.max(low, high)] as number];
}
