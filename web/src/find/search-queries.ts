import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { searchForNames } from '../../../packages/search-language/device-words.ts';
import { api, dataOf } from '../api/api.ts';
import type { Entry, Facets, SearchPage, Suggestion } from '../api/types.ts';
import { timeZone } from '../components/format.ts';
import type { FindSearch } from './find-search.ts';

export const pageSize = 100;

/** The parameters that say which entries are found. */
export function searchParams({ query, sort, view }: FindSearch) {
  return {
    ...(query !== undefined && { query }),
    ...(sort !== undefined && { sort }),
    ...(view !== 'flat' && { group: 'thread' }),
    tz: timeZone,
  };
}

/** One page of the hits. Later pages show the same state as the first. */
export function pageQuery(search: FindSearch, page: number, asOf: SearchPage['asOf']) {
  return queryOptions({
    queryKey: ['hits', search, page, page === 0 ? null : (asOf ?? null)] as const,
    queryFn: async ({ signal }): Promise<SearchPage> => {
      const query = {
        ...searchParams(search),
        view: 'list',
        highlight: 'true',
        size: String(pageSize),
        ...(page > 0 && { from: String(page * pageSize) }),
        ...(page > 0 && asOf !== undefined && { asOf: String(asOf) }),
      };
      return dataOf(await api.GET('/logs/search', { params: { query }, signal }));
    },
    gcTime: 60_000,
  });
}

/** Maximum number of buckets: enough to show three days by the hour. */
const bucketCount = 100;

export function facetsQuery({ query }: FindSearch) {
  return queryOptions({
    queryKey: ['facets', query ?? ''] as const,
    queryFn: async ({ signal }): Promise<Facets> => {
      const params = {
        query: {
          ...(query !== undefined && { query }),
          tz: timeZone,
          interval: 'auto',
          buckets: String(bucketCount),
          facetsExcludeOwn: 'true',
        },
      };
      return dataOf(await api.GET('/logs/facets', { params, signal }));
    },
    placeholderData: keepPreviousData,
  });
}

export function threadQuery(groupId: string) {
  return queryOptions({
    queryKey: ['thread', groupId] as const,
    queryFn: async ({ signal }): Promise<readonly Entry[]> => {
      const path = { groupId };
      const answer = await api.GET('/threads/{groupId}', { params: { path, query: { size: '200' } }, signal });
      return dataOf<{ readonly logs: readonly Entry[] }>(answer).logs;
    },
  });
}

export function suggestQuery(key: string, text: string, size = 6) {
  return queryOptions({
    queryKey: ['suggest', key, text, size] as const,
    queryFn: async ({ signal }): Promise<readonly Suggestion[]> =>
      dataOf(await api.GET('/suggest', { params: { query: { key, q: text, size: String(size) } }, signal })),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
}

/** Number of newest entries that are searched for device names. */
const readForNames = 50;

/** The newest entries with a device name that begins with the text. */
export function devicesQuery(start: string) {
  return queryOptions({
    queryKey: ['hits', 'devices', start] as const,
    queryFn: async ({ signal }): Promise<SearchPage> => {
      const query = { query: searchForNames(start), view: 'list', size: String(readForNames) };
      return dataOf(await api.GET('/logs/search', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
}
