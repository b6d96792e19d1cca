import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, dataOf } from '../api/api.ts';
import type { Facets } from '../api/types.ts';
import { startOfDay, timeZone } from '../components/format.ts';
import type { FindSearch } from './find-search.ts';
import { facetsQuery } from './search-queries.ts';

type Time = Facets['time'];

/** The list and its timeline come first. */
const afterListMs = 1_000;

/** The number of hits of the day; undefined until it is known. The timeline has it, unless its bars are longer than a day. */
export function useDayCount(search: FindSearch, ms: number | undefined): number | undefined {
  const { data: facets } = useQuery(facetsQuery(search));
  const isFine = facets !== undefined && hasDays(facets.time);
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), afterListMs);
    return () => clearTimeout(timer);
  }, []);
  const month = useQuery({
    ...monthQuery(search, ms ?? 0),
    enabled: isDue && ms !== undefined && facets !== undefined && !isFine,
  });
  const time = isFine ? facets.time : month.data;
  return ms === undefined || time === undefined ? undefined : countOfDay(time, ms);
}

/** Whether no bar has entries of two days. */
function hasDays({ interval }: Time): boolean {
  return !['week', 'month', 'year'].includes(interval);
}

function countOfDay({ buckets }: Pick<Time, 'buckets'>, ms: number): number {
  const day = startOfDay(ms);
  return buckets.reduce((sum, { start, count }) => (startOfDay(start) === day ? sum + count : sum), 0);
}

/** The hits of the days of a month: one request for all of them. */
function monthQuery({ query }: FindSearch, ms: number) {
  const date = new Date(ms);
  const fromMs = new Date(date.getFullYear(), date.getMonth(), 1).getTime();
  const toMs = new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime() - 1;
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
