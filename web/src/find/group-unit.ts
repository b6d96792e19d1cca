import type { Hit } from '../api/types.ts';
import { startOfDay, startOfMonth } from '../components/calendar.ts';

type Created = Pick<Hit, 'createdDate'>;

/** The period by which the hits of the list are grouped. */
export type GroupUnit = 'day' | 'month';

const monthMs = 31 * 86_400_000;
/** The hits are sparse when at least this share of them are the only ones of their day: days would be more headings than help. */
const sparseShare = 0.7;
const fewestHits = 3;

/** Months, when most hits are alone on their day and they are spread over more than one month. */
export function groupUnit(hits: readonly Created[] | undefined): GroupUnit {
  const times = hits?.map(({ createdDate }) => createdDate) ?? [];
  if (times.length < fewestHits || Math.max(...times) - Math.min(...times) < monthMs) return 'day';
  const days = new Set(times.map(startOfDay));
  return days.size / times.length > sparseShare ? 'month' : 'day';
}

/** When the day or the month of a time began. */
export function groupStart(ms: number, unit: GroupUnit): number {
  return unit === 'day' ? startOfDay(ms) : startOfMonth(ms);
}

/** Whether the entry is the first of its day or month, below one of another. The first of all has the line on top. */
export function startsGroup(hit: Created | undefined, before: Created | undefined, unit: GroupUnit): boolean {
  if (hit === undefined || before === undefined) return false;
  return groupStart(hit.createdDate, unit) !== groupStart(before.createdDate, unit);
}
