import type { DeviceHistory, HistorySample } from '../../../packages/control-system/device-view.ts';
import { formatValue } from '../plots/format-value.ts';
import type { PlotPoints } from '../plots/plot-source.ts';

const noValue = '–';

/** Returns the value of a device at a time, as people read it: `401.2 mA`, `Open`, `480.5 mA (MAJOR)`. */
export function textAt(history: DeviceHistory, points: PlotPoints, at: number): string {
  const sample = history.samples.findLast((one) => one.at <= at);
  const hasNone =
    sample === undefined || at > history.end || history.gaps.some(({ start, end }) => at >= start && at < end);
  if (hasNone) return noValue;
  const isNumber = history.kind === 'number';
  // The drawn points are denser than the samples if the chart is zoomed.
  const text = isNumber ? numberText(history, valueAt(points, at)) : sampleText(history, sample);
  return sample.severity === 'NONE' || history.isBinned ? text : `${text} (${sample.severity})`;
}

/** Returns a sample as people read it. */
export function sampleText(history: DeviceHistory, { value, text }: HistorySample): string {
  if (text !== undefined) return text;
  return (value === null ? undefined : history.states?.[value]) ?? numberText(history, value);
}

function numberText({ units, precision }: DeviceHistory, value: number | null | undefined): string {
  if (value === null || value === undefined) return noValue;
  const text = formatValue(value, precision);
  return units === null ? text : `${text} ${units}`;
}

/** Returns the value of the first curve at a place: the value of the last point up to there. */
function valueAt({ x, values: [first] }: PlotPoints, place: number): number | null | undefined {
  const at = x.findLastIndex((one) => one <= place);
  return first?.[at];
}
