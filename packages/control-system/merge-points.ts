import type { CurvePart, CurvePoints } from './curve-points.js';
import type { DeviceHistory } from './device-view.js';

/** A value of a curve, valid from a moment; null for a gap. */
interface Step {
  readonly at: number;
  readonly value: number | null;
}

/**
 * Returns points of several curves at common moments. A value lasts until the next one of its curve, so each moment has
 * two points. The columns are indexes of `curves`.
 */
export function mergedPoints(curves: readonly DeviceHistory[], { from, to, columns }: CurvePart): CurvePoints {
  const steps = columns.map((column) => stepsOf(curves[column]));
  const moments = momentsOf(steps);
  const end = Math.max(...curves.map((curve) => curve.end));
  const x: number[] = [];
  const values: (number | null)[][] = columns.map(() => []);
  const reached = columns.map(() => -1);
  for (const [index, at] of moments.entries()) {
    const next = moments[index + 1] ?? Math.max(at, end);
    for (const [column, own] of steps.entries()) {
      while ((own[(reached[column] ?? -1) + 1]?.at ?? Number.POSITIVE_INFINITY) <= at)
        reached[column] = (reached[column] ?? -1) + 1;
    }
    if (next < from || at > to) continue;
    x.push(at, next);
    for (const [column, list] of values.entries()) {
      const value = steps[column]?.[reached[column] ?? -1]?.value ?? null;
      list.push(value, value);
    }
  }
  return { x, values };
}

/** Returns the moments at which any of these curves changes, in order and without duplicates. */
function momentsOf(steps: readonly (readonly Step[])[]): number[] {
  return [...new Set(steps.flatMap((own) => own.map(({ at }) => at)))].sort((one, other) => one - other);
}

/** Returns the changes of a curve within its range. */
function stepsOf(curve: DeviceHistory | undefined): Step[] {
  if (!curve) return [];
  const { samples, gaps, start } = curve;
  const changes = [
    ...samples.map(({ at, value }) => ({ at: Math.max(at, start), value })),
    ...gaps.map((gap) => ({ at: gap.start, value: null })),
  ];
  return changes.sort((one, other) => one.at - other.at);
}
