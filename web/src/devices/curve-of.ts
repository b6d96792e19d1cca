import { pointsOf } from '../../../packages/control-system/curve-points.ts';
import type { DeviceHistory, HistorySample } from '../../../packages/control-system/device-view.ts';
import { formatDay, formatTime } from '../components/format.ts';
import { formatCell } from '../plots/format-value.ts';
import type { PlotColumn, PlotLimit, PlotSource, PlotView } from '../plots/plot-source.ts';

/** Fetches the values of a view, in about as many points as it can show. */
export type FetchPart = (view: PlotView) => Promise<DeviceHistory>;

/** Labels of the columns and limits. */
export interface CurveTexts {
  readonly time: string;
  readonly alarm: string;
  readonly mean: string;
  readonly lowest: string;
  readonly highest: string;
  readonly limits: Readonly<Record<(typeof limitNames)[number], string>>;
}

export const limitNames = ['alarmHigh', 'warningHigh', 'warningLow', 'alarmLow'] as const;

/** Returns the values of a device as a plot. If there are too many to draw, the plot fetches the part that it shows. */
export function curveOf(
  whole: DeviceHistory,
  marks: readonly number[],
  texts: CurveTexts,
  fetchPart: FetchPart,
): PlotSource {
  const { precision, states } = whole;
  const unit = whole.units ?? undefined;
  const names = whole.isBinned ? [texts.mean, texts.lowest, texts.highest] : canDraw(whole) ? [whole.name] : [];
  return {
    axis: {
      kind: 'time',
      name: texts.time,
      unit: undefined,
      from: whole.start,
      to: whole.end,
      positiveFrom: undefined,
    },
    columns: names.map((name): PlotColumn => ({ name, unit, precision, states })),
    marks,
    limits: limitsOf(whole, texts),
    ...(whole.states && { states: whole.states }),
    points: async (view) => pointsOf(whole.isBinned ? await fetchPart(view) : whole, view),
    rows: {
      header: [
        { name: texts.time, unit: undefined },
        { name: whole.name, unit },
        ...(whole.isBinned ? [texts.lowest, texts.highest].map((name) => ({ name, unit })) : []),
        { name: texts.alarm, unit: undefined },
      ],
      count: whole.samples.length,
      read: async (from, count) => whole.samples.slice(from, from + count).map((sample) => rowOf(whole, sample)),
    },
  };
}

/** Whether the values are numbers or states. Texts and arrays are not a curve. */
export const canDraw = ({ kind }: Pick<DeviceHistory, 'kind'>): boolean => kind === 'number' || kind === 'enum';

function limitsOf({ limits }: DeviceHistory, texts: CurveTexts): PlotLimit[] {
  return limitNames.flatMap((name) => {
    const value = limits[name];
    return typeof value === 'number' ? [{ name: texts.limits[name], value, isAlarm: name.startsWith('alarm') }] : [];
  });
}

/**
 * Returns a row of the table. The row of a mean also has the lowest and the highest value: only they show a short trip.
 */
function rowOf(device: DeviceHistory, { at, value, min, max, severity, text }: HistorySample): readonly string[] {
  const extremes = device.isBinned ? [min, max].map((one) => formatCell(device, one ?? value)) : [];
  const shown = text ?? formatCell(device, value);
  return [`${formatDay(at)}, ${formatTime(at, true)}`, shown, ...extremes, severity === 'NONE' ? '' : severity];
}
