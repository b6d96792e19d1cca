import type { DeviceHistory } from './device-view.js';
import { drawPlot } from './plot-picture.js';
import { plotMarks, type StoredPlot } from './read-plot-file.js';

/** Maximum number of samples of all curves of a plot. `maxCurveSamples` is the maximum for one curve. */
const maxSamples = 2_400;
const maxCurveSamples = 1_000;
/** Maximum length of the samples as JSON. Numbers, with their extremes and gaps, are always shorter. */
const maxDataLength = 524_288;
const maxTextLength = 200;

/** Returns the maximum number of samples for each of several curves of a plot. */
export function samplesPerCurve(curves: number): number {
  return Math.min(maxCurveSamples, Math.floor(maxSamples / Math.max(1, curves)));
}

/** Returns a plot as a picture that every browser can show, with the samples in a comment. */
export function toPlotFile(plot: StoredPlot): string {
  let bounded: StoredPlot = { ...plot, curves: plot.curves.map(withShortTexts) };
  let data = toJson(bounded);
  // Any sample of a number may be the only one that shows a trip, so curves of numbers are thinned last.
  for (const isThinned of [isNoNumber, () => true]) {
    while (data.length > maxDataLength) {
      const fewer = thinned(bounded, Math.ceil(data.length / maxDataLength), isThinned);
      const json = toJson(fewer);
      if (json.length === data.length) break;
      [bounded, data] = [fewer, json];
    }
  }
  const [head = '', ...rest] = drawPlot(bounded).split('\n');
  return [head, `${plotMarks.start}${data}${plotMarks.end}`, ...rest].join('\n');
}

const isNoNumber = ({ kind }: DeviceHistory): boolean => kind !== 'number';

/** Returns the plot as JSON without two consecutive hyphens, which a comment of XML must not contain. */
function toJson(plot: StoredPlot): string {
  return JSON.stringify(plot).replaceAll('--', '-\\u002d');
}

function thinned({ start, end, curves }: StoredPlot, by: number, isThinned: typeof isNoNumber): StoredPlot {
  const keep = <T>(items: readonly T[]): readonly T[] => items.filter((_, at) => at % by === 0);
  const fewer = (curve: DeviceHistory): DeviceHistory =>
    curve.samples.length > 1
      ? { ...curve, samples: keep(curve.samples), gaps: keep(curve.gaps), isCut: true }
      : { ...curve, samples: [], gaps: [], states: null, isCut: true };
  return { start, end, curves: curves.map((curve) => (isThinned(curve) ? fewer(curve) : curve)) };
}

/** Truncates the texts of a curve, because only samples and gaps can be thinned. */
function withShortTexts(curve: DeviceHistory): DeviceHistory {
  const short = (text: string) => text.slice(0, maxTextLength);
  return {
    ...curve,
    units: curve.units === null ? null : short(curve.units),
    states: curve.states?.map(short) ?? null,
    problems: curve.problems.map((problem) => ({ ...problem, reason: short(problem.reason) })),
  };
}
