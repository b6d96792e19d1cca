import type { DeviceHistory } from './device-view.js';
import { isRecord } from './lenient-json.js';

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

/** Whether this is a plot as this program writes it. Anybody can upload a file that looks like one. */
function isPlot(plot: unknown): plot is StoredPlot {
  if (!isRecord(plot)) return false;
  const { start, end, curves } = plot;
  return typeof start === 'number' && typeof end === 'number' && isListOf(curves, isCurve);
}

function isCurve(curve: unknown): boolean {
  if (!isRecord(curve)) return false;
  const { name, units, limits, states, precision, samples, gaps, problems } = curve;
  const decimals = Number(precision);
  return (
    typeof name === 'string' &&
    (units === null || typeof units === 'string') &&
    Number.isInteger(decimals) &&
    decimals >= 0 &&
    decimals <= 15 &&
    isRecord(limits) &&
    Object.values(limits).every(isNumberOrNull) &&
    (states === null || isListOf(states, (state) => typeof state === 'string')) &&
    isListOf(samples, isSample) &&
    isListOf(gaps, (gap) => isRecord(gap) && typeof gap.start === 'number' && typeof gap.end === 'number') &&
    isListOf(problems, (problem) => isRecord(problem) && typeof problem.reason === 'string')
  );
}

function isSample(sample: unknown): boolean {
  if (!isRecord(sample)) return false;
  const { at, value, text } = sample;
  return typeof at === 'number' && isNumberOrNull(value) && (text === undefined || typeof text === 'string');
}

const isNumberOrNull = (value: unknown) => value === null || typeof value === 'number';
const isListOf = (list: unknown, isItem: (item: unknown) => boolean) => Array.isArray(list) && list.every(isItem);
