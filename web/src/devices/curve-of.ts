import type { DeviceHistory, HistorySample } from '../../../packages/control-system/device-view.ts';
import { formatDay, formatTime } from '../components/format.ts';
import type { PlotColumn, PlotPoints, PlotSource, PlotView } from '../plots/plot-source.ts';

/** Fetches the values between two times, in about as many points. */
export type FetchPart = (view: PlotView) => Promise<DeviceHistory>;

/** Words of the columns. */
export interface CurveTexts {
  readonly time: string;
  readonly alarm: string;
  readonly mean: string;
  readonly lowest: string;
  readonly highest: string;
}

/** The values of a device as a plot, which fetches the part that it shows when the whole has too many to draw. */
export function curveOf(
  whole: DeviceHistory,
  marks: readonly number[],
  texts: CurveTexts,
  fetchPart: FetchPart,
): PlotSource {
  const unit = whole.units ?? undefined;
  const names = whole.isBinned ? [texts.mean, texts.lowest, texts.highest] : [whole.name];
  return {
    axis: {
      kind: 'time',
      name: texts.time,
      unit: undefined,
      from: whole.start,
      to: whole.end,
      positiveFrom: undefined,
    },
    columns: names.map((name): PlotColumn => ({ name, unit })),
    marks,
    points: async (view) => pointsOf(whole.isBinned ? await fetchPart(view) : whole, view),
    rows: {
      header: [
        { name: texts.time, unit: undefined },
        { name: whole.name, unit },
        { name: texts.alarm, unit: undefined },
      ],
      count: whole.samples.length,
      read: async (from, count) => whole.samples.slice(from, from + count).map((sample) => rowOf(whole, sample)),
    },
  };
}

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

function rowOf({ states }: DeviceHistory, { at, value, severity, text }: HistorySample): readonly string[] {
  const shown = text ?? (value === null ? '–' : (states?.[value] ?? String(value)));
  return [`${formatDay(at)}, ${formatTime(at, true)}`, shown, severity === 'NONE' ? '' : severity];
}
