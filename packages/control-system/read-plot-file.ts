import type { DeviceHistory } from './device-view.js';

/** A plot with its samples. */
export interface StoredPlot {
  /** Start of the plot, in milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  readonly curves: readonly DeviceHistory[];
}

/** Marks around the samples of a plot, which are JSON in a comment. */
export const plotMarks = { start: '<!--plot:1 ', end: ' -->' } as const;

/** Reads the samples of a plot from its picture; undefined for any other picture. */
export function readPlotFile(svg: string): StoredPlot | undefined {
  const start = svg.indexOf(plotMarks.start);
  const end = svg.indexOf(plotMarks.end, start);
  if (start < 0 || end < 0) return undefined;
  try {
    const plot: unknown = JSON.parse(svg.slice(start + plotMarks.start.length, end));
    return isPlot(plot) ? plot : undefined;
  } catch {
    return undefined;
  }
}

function isPlot(plot: unknown): plot is StoredPlot {
  const { start, end, curves } = (plot ?? {}) as Partial<Record<keyof StoredPlot, unknown>>;
  const isCurve = (curve: unknown) => {
    const { limits, states, precision, ...lists } = (curve ?? {}) as Readonly<Record<string, unknown>>;
    const decimals = Number(precision);
    return (
      Number.isInteger(decimals) &&
      decimals >= 0 &&
      decimals <= 15 &&
      ['samples', 'gaps', 'problems'].every((key) => Array.isArray(lists[key])) &&
      [limits, states ?? {}].every((one) => typeof one === 'object' && one !== null)
    );
  };
  return typeof start === 'number' && typeof end === 'number' && Array.isArray(curves) && curves.every(isCurve);
}
