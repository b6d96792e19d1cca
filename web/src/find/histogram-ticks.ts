import type { Facets } from '../api/types.ts';
import { formatDay, formatMonth, formatTime, startOfDay } from '../components/format.ts';

const minSpace = 72;
const lastSpace = 60;
const hour = 3_600_000;
/** Hours between labels that meet noon or midnight. */
const hourSteps = [1, 2, 3, 6, 12, 24, 48];

/** The labels below the bars, at even distances; one of them at midnight where there is one. */
export function ticksOf({ buckets }: Facets['time'], width: number): { readonly x: number; readonly text: string }[] {
  const n = buckets.length;
  const [first, second] = [buckets[0]?.start ?? 0, buckets[1]?.start ?? 0];
  const length = second - first;
  const least = Math.max(1, Math.ceil(minSpace / (width / n)));
  const every = length === hour ? (hourSteps.find((step) => step >= least) ?? least) : least;
  const midnight = buckets.findIndex(({ start }) => start === startOfDay(start));
  const offset = length < 24 * hour && midnight >= 0 ? midnight % every : 0;
  return buckets.flatMap(({ start }, at) => {
    const x = Math.round((at / n) * width);
    if (at % every !== offset || x > width - lastSpace) return [];
    return [{ x, text: label(start, length) }];
  });
}

function label(start: number, length: number): string {
  if (length >= 27 * 24 * hour) return formatMonth(start);
  if (length >= 24 * hour || start === startOfDay(start)) return formatDay(start);
  return formatTime(start);
}
