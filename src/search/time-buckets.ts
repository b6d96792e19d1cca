import { Temporal } from 'temporal-polyfill';
import { limitFault } from '../kernel/limit.js';
import { searchLimits } from './search-limits.js';

export const timeIntervals = ['hour', 'day', 'week', 'month', 'year'] as const;
export type TimeInterval = (typeof timeIntervals)[number];

const approximateMs: Record<TimeInterval, number> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
  year: 365 * 86_400_000,
};
/** The default interval gives about this many buckets at most. */
const fewBuckets = 60;

/** Returns the default interval: the shortest that gives few buckets between two times. */
export function intervalFor(firstMs: number, lastMs: number): TimeInterval {
  return timeIntervals.find((interval) => (lastMs - firstMs) / approximateMs[interval] <= fewBuckets) ?? 'year';
}

/**
 * Lists the beginnings of the hours, days, weeks (from Monday), months or years of a zone that cover the time between
 * two instants, both included; in milliseconds since the epoch.
 * @throws Fault invalid `search.too-many-buckets`
 */
export function bucketStarts(firstMs: number, lastMs: number, interval: TimeInterval, zone: string): number[] {
  if ((lastMs - firstMs) / approximateMs[interval] > searchLimits.timeBuckets) {
    throw limitFault('invalid', 'search.too-many-buckets', {
      refused: `Between the first match and the last there are too many buckets of one “${interval}”.`,
      limit: {
        amount: `${searchLimits.timeBuckets} buckets`,
        setting: undefined,
        countedFor: 'each search, of any client',
      },
      advice: 'Use a longer interval, or narrow the time window.',
    });
  }
  const starts: number[] = [];
  for (
    let start = startOf(Temporal.Instant.fromEpochMilliseconds(firstMs).toZonedDateTimeISO(zone), interval);
    start.epochMilliseconds <= lastMs;
    start = next(start, interval)
  ) {
    starts.push(start.epochMilliseconds);
  }
  return starts;
}

function startOf(time: Temporal.ZonedDateTime, interval: TimeInterval): Temporal.ZonedDateTime {
  if (interval === 'hour') return time.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const day = time.startOfDay();
  if (interval === 'week') return day.subtract({ days: day.dayOfWeek - 1 }).startOfDay();
  if (interval === 'month') return day.with({ day: 1 }).startOfDay();
  if (interval === 'year') return day.with({ month: 1, day: 1 }).startOfDay();
  return day;
}

/** Returns the start of the next interval. A day starts at its first moment, which is not 00:00 where a clock change skips it. */
function next(start: Temporal.ZonedDateTime, interval: TimeInterval): Temporal.ZonedDateTime {
  const later = start.add({ [`${interval}s`]: 1 });
  return interval === 'hour' ? later : later.startOfDay();
}
