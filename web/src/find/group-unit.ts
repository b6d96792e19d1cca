import type { Hit } from '../api/types.ts';
import { startOfDay, startOfMonth } from '../components/calendar.ts';

type Created = Pick<Hit, 'createdDate'>;

/** The period by which the hits of the list are grouped. */
export type GroupUnit = 'day' | 'month';

const monthMs = 31 * 86_400_000;
/** Maximum number of days per hit for a list with headings of days: with more days, the headings would be clutter. */
const sparseShare = 0.7;
const fewestHits = 3;

/** Returns months if the hits are sparse and spread over more than one month. */
export function groupUnit(hits: readonly Created[] | undefined): GroupUnit {
  const times = hits?.map(({ createdDate }) => createdDate) ?? [];
  if (times.length < fewestHits || Math.max(...times) - Math.min(...times) < monthMs) return 'day';
  const days = new Set(times.map(startOfDay));
  return days.size / times.length > sparseShare ? 'month' : 'day';
}

/** Returns the start of the day or month that contains a time. */
export function groupStart(ms: number, unit: GroupUnit): number {
  return unit === 'day' ? startOfDay(ms) : startOfMonth(ms);
}

/**
 * Whether the entry is the first of its day or month. The very first one does not count: the line on top names its day.
 */
export function startsGroup(hit: Created | undefined, before: Created | undefined, unit: GroupUnit): boolean {
  if (hit === undefined || before === undefined) return false;
  return groupStart(hit.createdDate, unit) !== groupStart(before.createdDate, unit);
}
