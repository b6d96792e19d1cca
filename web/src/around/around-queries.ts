import { queryOptions } from '@tanstack/react-query';
import type { DeviceAlarms } from '../../../packages/control-system/device-view.ts';
import { api, dataOf } from '../api/api.ts';
import type { Hit } from '../api/types.ts';
import { formatForSearch } from '../components/search-time.ts';
import { fetchHistory } from '../devices/device-queries.ts';
import { pageQuery, pageSize } from '../find/search-queries.ts';
import type { PlotRange } from '../plots/plot-source.ts';

/** Points of a curve before it is zoomed. */
const points = 800;
/** Time after which a source that does not answer is asked again. */
const againMs = 15_000;

interface Answer {
  readonly problems: readonly { readonly code: string }[];
}

const askAgain = ({ state: { data } }: { readonly state: { readonly data: Answer | undefined } }): number | false =>
  data?.problems.some(({ code }) => code === 'unavailable') === true ? againMs : false;

export function curveQuery(name: string, range: PlotRange) {
  return queryOptions({
    queryKey: ['device', name, 'curve', range] as const,
    queryFn: () => fetchHistory(name, range, points),
    refetchInterval: askAgain,
    retry: false,
  });
}

export function alarmsQuery(name: string, range: PlotRange) {
  const query = { start: String(Math.floor(range.from)), end: String(Math.ceil(range.to)) };
  return queryOptions({
    queryKey: ['device', name, 'alarms', query] as const,
    queryFn: async ({ signal }): Promise<DeviceAlarms> =>
      dataOf(await api.GET('/devices/{name}/alarms', { params: { path: { name }, query }, signal })),
    refetchInterval: askAgain,
    retry: false,
  });
}

/**
 * Returns one query for the entries before a moment, and one for those after it. Each reads one page: the entries
 * nearest to the moment.
 */
export function entriesQueries(moment: number, { from, to }: PlotRange) {
  const query = (start: number, end: number) => `start="${formatForSearch(start)}" end="${formatForSearch(end)}"`;
  return {
    before: pageQuery({ query: query(from, moment), view: 'flat' }, 0, undefined),
    after: pageQuery({ query: query(moment, to), sort: 'up', view: 'flat' }, 0, undefined),
  } as const;
}

interface Pages {
  readonly hitCount: number;
  readonly logs: readonly Hit[];
}

/** Joins the entries before and after a moment in chronological order. Their searches overlap by a second. */
export function joinEntries(pages: readonly (Pages | undefined)[], { from, to }: PlotRange) {
  const hits = new Map<number, Hit>();
  for (const { logs } of pages.filter((page) => page !== undefined)) for (const hit of logs) hits.set(hit.id, hit);
  const inRange = [...hits.values()].filter(({ createdDate }) => createdDate >= from && createdDate <= to);
  return {
    entries: inRange.sort((one, other) => one.createdDate - other.createdDate || one.id - other.id),
    isCut: pages.some((page) => (page?.hitCount ?? 0) > pageSize),
  };
}
