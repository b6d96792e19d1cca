import { Temporal } from 'temporal-polyfill';
import { limitFault } from '../kernel/limit.js';
import { searchLimits } from './search-limits.js';

export const timeIntervals = ['minute', '5m', 'hour', 'day', 'week', 'month', 'year'] as const;
export type TimeInterval = (typeof timeIntervals)[number];

const approximateMs: Record<TimeInterval, number> = {
  minute: 60_000,
  '5m': 300_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
  year: 365 * 86_400_000,
};
/** Approximate maximum number of buckets with the default interval. */
const fewBuckets = 60;
const longIntervals = timeIntervals.slice(timeIntervals.indexOf('hour'));

/**
 * Returns the shortest interval that divides the time between two moments, both included, into few buckets.
 * @param exactly maximum number of buckets (default: 60) for all intervals, counted in this zone; undefined: about 60
 *   buckets of at least an hour
 */
export function intervalFor(
  firstMs: number,
  lastMs: number,
  exactly?: { readonly buckets: number | undefined; readonly zone: string },
): TimeInterval {
  const most = exactly?.buckets ?? fewBuckets;
  const isShortEnough = (interval: TimeInterval) =>
    (lastMs - firstMs) / approximateMs[interval] <= most &&
    (exactly === undefined || bucketEdges(firstMs, lastMs, interval, exactly.zone).length - 1 <= most);
  return (exactly ? timeIntervals : longIntervals).find(isShortEnough) ?? 'year';
}

/** Whether buckets of this length can cover the time between two instants. */
export function fitsBuckets(firstMs: number, lastMs: number, interval: TimeInterval): boolean {
  return (lastMs - firstMs) / approximateMs[interval] <= searchLimits.timeBuckets;
}

/** Period between two moments, both included. */
export interface Span {
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * Returns the period of the matches, extended to the requested period if buckets can cover it.
 * @param matches undefined: there are none
 */
export function bucketSpan(
  matches: Span | undefined,
  interval: TimeInterval | 'auto' | undefined,
  cover: { readonly fromMs: number | undefined; readonly toMs: number | undefined } | undefined,
): Span | undefined {
  const times = [matches?.firstMs, matches?.lastMs, cover?.fromMs, cover?.toMs].filter((ms) => ms !== undefined);
  if (times.length === 0) return undefined;
  const whole = { firstMs: Math.min(...times), lastMs: Math.max(...times) };
  const widest = interval === undefined || interval === 'auto' ? 'year' : interval;
  return fitsBuckets(whole.firstMs, whole.lastMs, widest) ? whole : matches;
}

/** Returns the requested interval, or else a suitable one. */
export function chooseInterval(
  { firstMs, lastMs }: Span,
  interval: TimeInterval | 'auto' | undefined,
  buckets: number | undefined,
  zone: string,
): TimeInterval {
  if (interval !== undefined && interval !== 'auto') return interval;
  if (interval === undefined && buckets === undefined) return intervalFor(firstMs, lastMs);
  return intervalFor(firstMs, lastMs, { buckets, zone });
}

/**
 * Lists the starts of the intervals of a zone that cover the time between two moments, both included, and the end of
 * the last one, in milliseconds since the epoch. Weeks start on Monday.
 * @throws Fault invalid `search.too-many-buckets`
 */
export function bucketEdges(firstMs: number, lastMs: number, interval: TimeInterval, zone: string): number[] {
  if (!fitsBuckets(firstMs, lastMs, interval)) {
    throw limitFault('invalid', 'search.too-many-buckets', {
      refused: `The interval “${interval}” gives too many buckets between the first match and the last.`,
      limit: {
        amount: `${searchLimits.timeBuckets} buckets`,
        setting: undefined,
        countedFor: 'each search, regardless of the client',
      },
      advice: 'Use a longer interval, or narrow the time window.',
    });
  }
  const edges: number[] = [];
  let start = startOf(firstMs, interval, zone);
  for (; start.epochMilliseconds <= lastMs; start = next(start, interval)) edges.push(start.epochMilliseconds);
  // If clocks are set back over midnight, the first moments of a day precede the last ones of the day before.
  const before = edges.findLastIndex((edge) => edge <= firstMs);
  return [...edges.slice(before), start.epochMilliseconds];
}

function startOf(ms: number, interval: TimeInterval, zone: string): Temporal.ZonedDateTime {
  const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  if (interval === 'minute' || interval === '5m' || interval === 'hour') {
    // The offset at this moment is used, because a clock change may skip the full hour before it.
    const offsetMs = time.offsetNanoseconds / 1e6;
    const sinceMs = modulo(ms + offsetMs, approximateMs[interval]);
    return time.subtract({ milliseconds: sinceMs });
  }
  const day = time.startOfDay();
  if (interval === 'week') return day.subtract({ days: day.dayOfWeek - 1 }).startOfDay();
  if (interval === 'month') return day.with({ day: 1 }).startOfDay();
  if (interval === 'year') return day.with({ month: 1, day: 1 }).startOfDay();
  return day;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/**
 * Returns the start of the next interval. A day starts at its first moment, which is not 00:00 if a clock change skips
 * it.
 */
function next(start: Temporal.ZonedDateTime, interval: TimeInterval): Temporal.ZonedDateTime {
  if (interval === 'minute' || interval === '5m') return start.add({ minutes: interval === 'minute' ? 1 : 5 });
  const later = start.add({ [`${interval}s`]: 1 });
  return interval === 'hour' ? later : later.startOfDay();
}
