import { queryOptions } from '@tanstack/react-query';
import type { DeviceHistory } from '../../../packages/control-system/device-view.ts';
import { api, dataOf } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import type { paths } from '../api/schema.ts';
import type { FindSearch } from '../find/find-search.ts';
import { queryOf } from '../find/query-terms.ts';
import type { PlotRange } from '../plots/plot-source.ts';

type Answer<Path extends '/devices/{name}'> = paths[Path]['get']['responses'][200]['content']['application/json'];

/** A device as the control system knows it. */
export type DeviceDetails = Answer<'/devices/{name}'>;

/** The search for the entries that mention a device. */
export function deviceSearch(name: string): FindSearch {
  const query = queryOf([{ kind: 'filter', key: 'device', values: [name], excluded: false }]);
  return { ...(query !== undefined && { query }), view: 'flat' };
}

/** Returns the query for a device. It asks the control system every 10 seconds while a page shows the device. */
export function deviceQuery(name: string, isConnected: boolean) {
  return queryOptions({
    queryKey: ['device', name] as const,
    queryFn: async ({ signal }): Promise<DeviceDetails> =>
      dataOf(await api.GET('/devices/{name}', { params: { path: { name } }, signal })),
    enabled: isConnected,
    // The service does not have this device: asking again is pointless.
    refetchInterval: ({ state: { error } }) => (error instanceof ApiError && error.status === 404 ? false : 10_000),
    retry: false,
    gcTime: 60_000,
  });
}

/** Time during which fetched values are not requested again. */
const freshMs = 10_000;

/** Fetches the values of a device between two times, in milliseconds since the epoch. */
export function fetchHistory(name: string, range: PlotRange, points: number): Promise<DeviceHistory> {
  const query = { start: String(Math.floor(range.from)), end: String(Math.ceil(range.to)), points };
  return queryClient.fetchQuery({
    queryKey: ['device', name, 'history', query] as const,
    queryFn: async ({ signal }): Promise<DeviceHistory> =>
      dataOf(await api.GET('/devices/{name}/history', { params: { path: { name }, query }, signal })),
    staleTime: freshMs,
    retry: false,
  });
}
