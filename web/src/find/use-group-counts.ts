import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, dataOf } from '../api/api.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Facets } from '../api/types.ts';
import { startOfMonth } from '../components/calendar.ts';
import { timeZone } from '../components/format.ts';
import { locale } from '../i18n/i18n.ts';
import type { FindSearch } from './find-search.ts';
import { type GroupUnit, groupStart } from './group-unit.ts';
import { timesOf } from './query-terms.ts';
import { facetsQuery } from './search-queries.ts';
import { readRange } from './time-range.ts';

type Time = Facets['time'];

/** Delay of the request, so that the list and its timeline are loaded first. */
const afterListMs = 1_000;

/**
 * Returns the number of hits of the day or month; undefined until it is known. The timeline provides it, unless its
 * bars are longer than the day or month.
 */
export function useGroupCount(search: FindSearch, unit: GroupUnit, ms: number | undefined): number | undefined {
  const { data: facets } = useQuery(facetsQuery(search));
  const isFine = facets !== undefined && hasGroups(facets.time, unit);
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), afterListMs);
    return () => clearTimeout(timer);
  }, []);
  const month = monthOf(ms ?? 0);
  const isAsked = isDue && ms !== undefined && facets !== undefined && !isFine && isWithin(search, month);
  const counts = useQuery({ ...monthQuery(search, month), enabled: isAsked });
  const time = isFine ? facets.time : counts.data;
  return ms === undefined || time === undefined ? undefined : countOf(time, unit, ms);
}

/** Whether no bar has entries of two groups. */
function hasGroups({ interval }: Time, unit: GroupUnit): boolean {
  return interval === 'month' ? unit === 'month' : interval !== 'week' && interval !== 'year';
}

function countOf({ buckets }: Pick<Time, 'buckets'>, unit: GroupUnit, ms: number): number {
  const group = groupStart(ms, unit);
  return buckets.reduce((sum, { start, count }) => (groupStart(start, unit) === group ? sum + count : sum), 0);
}

interface Month {
  readonly fromMs: number;
  readonly toMs: number;
}

function monthOf(ms: number): Month {
  const fromMs = startOfMonth(ms);
  return { fromMs, toMs: startOfMonth(fromMs + 32 * 86_400_000) - 1 };
}

/**
 * Whether the month overlaps the searched time. It does not if only an event of the hit is in that time, or if the hit
 * is left over from the previous search.
 */
function isWithin({ query }: FindSearch, { fromMs, toMs }: Month): boolean {
  const range = readRange(timesOf(query), serverNow(), locale());
  if ('kind' in range) return false;
  return (range.start === undefined || range.start.ms <= toMs) && (range.end === undefined || range.end.ms >= fromMs);
}

/** The hits of the days of a month: one request for all of them. */
function monthQuery({ query }: FindSearch, { fromMs, toMs }: Month) {
  return queryOptions({
    queryKey: ['facets', 'days', query ?? '', fromMs] as const,
    queryFn: async ({ signal }): Promise<Time> => {
      const params = {
        query: {
          ...(query !== undefined && { query }),
          ...{ tz: timeZone, interval: 'day' },
          ...{ start: new Date(fromMs).toISOString(), end: new Date(toMs).toISOString() },
        },
      };
      return dataOf<Facets>(await api.GET('/logs/facets', { params, signal })).time;
    },
  });
}
