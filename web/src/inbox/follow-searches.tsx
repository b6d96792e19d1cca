import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../api/query-client.ts';
import type { SearchPage } from '../api/types.ts';
import type { FindSearch } from '../find/find-search.ts';
import { savedSearchesQuery, storedSearch } from '../find/saved-searches.tsx';
import { pageQuery } from '../find/search-queries.ts';
import { hasNewsSince } from '../live/live-connection.ts';
import { noteOpened, readOpened, storeOpened } from './opened-searches.ts';
import { idsOf, readSearchCounts } from './search-counts.ts';
import { searchCountsQuery } from './unread-of-search.tsx';
import { useRefreshOnNews } from './use-refresh-on-news.ts';

/** Minimum time between two counts, however many entries arrive. */
const pauseMs = 60_000;
/** Maximum random delay of a count: each browser sends one or two requests for each search. */
const spreadMs = 15_000;

export interface FollowSearchesProps {
  readonly userName: string;
  /** The search that the page shows; undefined: none. */
  readonly search: FindSearch | undefined;
  /** Whether the page lists the saved searches. */
  readonly isListed: boolean;
}

/** The part of `CountSearches` that it loads. */
export function FollowSearches({ userName, search, isListed }: FollowSearchesProps) {
  const { data: saved = [] } = useQuery(savedSearchesQuery);
  const isCounted = isListed && saved.length > 0;
  const { dataUpdatedAt: countedMs, refetch } = useQuery({
    ...searchCountsQuery(userName),
    queryFn: ({ signal }) => readSearchCounts(userName, signal),
    enabled: isCounted,
    retry: false,
  });
  useRefreshOnNews({
    pauseMs,
    spreadMs,
    isNews: ({ kind }) => isCounted && kind !== 'updated',
    refresh: () => void refetch({ cancelRefetch: false }),
    isDue: isCounted && countedMs > 0 && hasNewsSince(countedMs),
  });
  const openedIds = idsOf(saved.filter(({ query }) => search?.query && storedSearch(query).query === search.query));
  // The list requests this page; here, it is only taken from the cache.
  const { data: page } = useQuery({ ...pageQuery(search ?? {}, 0, undefined), enabled: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `join` stands for the ids
  useEffect(() => {
    if (!page || !search || openedIds.length === 0) return;
    const open = async () => {
      const before = await readOpened(userName, Number.POSITIVE_INFINITY);
      const isOpened = openedIds.map((id) => markOpened({ userName, id, search, page, before: before.get(id) }));
      if (isOpened.includes(true)) storeOpened(userName, idsOf(saved));
    };
    // During an outage, nothing is marked.
    void open().catch(() => undefined);
  }, [openedIds.join(), page?.asOf]);
  return null;
}

interface Opened {
  readonly userName: string;
  readonly id: string;
  readonly search: FindSearch;
  readonly page: SearchPage;
  /** Id of the newest entry when the search was last opened; undefined: it never was. */
  readonly before: number | undefined;
}

/** Resets the count of a search whose first page is shown. Returns whether there is anything to store. */
function markOpened({ userName, id, search, page, before = -1 }: Opened): boolean {
  const { queryKey } = searchCountsQuery(userName);
  const { asOf = 0, logs } = page;
  if (asOf <= before) return false;
  // Only a list in its usual order begins with the newest entries.
  const count = queryClient.getQueryData(queryKey)?.[id] ?? (search.sort === undefined ? 0 : 1);
  const hasNew = before < 0 || count > 0 || logs.some((hit) => hit.id > before);
  if (!hasNew) return false;
  noteOpened(userName, id, asOf);
  queryClient.setQueryData(queryKey, (counts) => counts && { ...counts, [id]: 0 });
  return true;
}
