import type { Facets } from '../api/types.ts';
import { startOfDay } from '../components/calendar.ts';
import { formatDay, formatMonth, formatTime } from '../components/format.ts';

/** Average width of a character at 11 px, and free space around a label, in pixels. */
const charWidth = 6.5;
const labelSpace = 12;
const hour = 3_600_000;
/** Intervals between labels, in hours, that include noon or midnight. */
const hourSteps = [1, 2, 3, 6, 12, 24, 48, 72, 96, 168];

interface Tick {
  /** Distance from the left in pixels, where the label begins. */
  readonly x: number;
  readonly text: string;
}

/**
 * Returns evenly spaced labels below the bars, one of them at midnight if there is one. None touches another or the
 * end.
 */
export function ticksOf({ buckets }: Facets['time'], width: number): readonly Tick[] {
  const n = buckets.length;
  const [first, second] = [buckets[0]?.start ?? 0, buckets[1]?.start ?? 0];
  const length = second - first;
  const labels = buckets.map(({ start }) => label(start, length));
  const space = labelSpace + charWidth * Math.max(...labels.map((text) => text.length));
  const least = Math.max(1, Math.ceil(space / (width / n)));
  const every = length === hour ? (hourSteps.find((step) => step >= least) ?? least) : least;
  const midnight = buckets.findIndex(({ start }) => start === startOfDay(start));
  const offset = length < 24 * hour && midnight >= 0 ? midnight % every : 0;
  return labels.flatMap((text, at) => {
    const x = Math.round((at / n) * width);
    const fits = x + labelSpace / 2 + charWidth * text.length <= width;
    return at % every === offset && fits ? [{ x, text }] : [];
  });
}

function label(start: number, length: number): string {
  if (length >= 27 * 24 * hour) return formatMonth(start);
  if (length >= 24 * hour || start === startOfDay(start)) return formatDay(start);
  return formatTime(start);
}
