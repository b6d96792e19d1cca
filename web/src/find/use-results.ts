import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Hit, SearchPage } from '../api/types.ts';
import type { FindSearch } from './find-search.ts';
import { pageQuery, pageSize } from './search-queries.ts';

/** Time that the list must rest before pages are fetched: a jump passes many pages on its way. */
const settleMs = 60;

export interface Results {
  /** Exact number of hits; undefined until the first page has loaded. */
  readonly hitCount: number | undefined;
  readonly firstHits: readonly Hit[] | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Whether the hits are still those of the previous search. */
  readonly isStale: boolean;
  /** The hit at the position; undefined while its page has not loaded. */
  readonly hitAt: (index: number) => Hit | undefined;
  /** The position of an entry, or of the hit that stands for its thread, in the loaded pages; -1 if there is none. */
  readonly indexOf: (id: number, threadId?: string) => number;
  /** Says which positions are on the screen, so that their pages are fetched. */
  readonly show: (first: number, last: number) => void;
  readonly reload: () => void;
}

/** The hits of a search, fetched by page as they are shown. */
export function useResults(search: FindSearch): Results {
  const client = useQueryClient();
  const first = useQuery({ ...pageQuery(search, 0, undefined), placeholderData: keepPreviousData });
  const asOf = first.data?.asOf;
  const [wanted, setWanted] = useSettledPages();
  const hitCount = first.data?.hitCount;
  const numbers = wanted.filter((page) => page > 0 && page * pageSize < (hitCount ?? 0));
  const isReady = first.data !== undefined && !first.isPlaceholderData;
  const others = useQueries({
    queries: numbers.map((page) => ({ ...pageQuery(search, page, asOf), enabled: isReady })),
  });
  const pages = usePages(search, asOf, first.data, numbers, others);
  const hitAt = useCallback(
    (index: number) => pages.get(Math.floor(index / pageSize))?.logs[index % pageSize],
    [pages],
  );
  const indexOf = useCallback((id: number, threadId?: string) => findIndex(pages, id, threadId), [pages]);
  const reload = useCallback(() => void client.resetQueries({ queryKey: ['hits'] }), [client]);
  return {
    hitCount,
    firstHits: first.data?.logs,
    error: first.error ?? others.find(({ error }) => error)?.error ?? undefined,
    isLoading: first.isPending,
    isStale: first.isPlaceholderData,
    hitAt,
    indexOf,
    show: setWanted,
    reload,
  };
}

/** The pages to fetch: those on the screen, once the list has come to rest. */
function useSettledPages(): [readonly number[], (first: number, last: number) => void] {
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const [pages, setPages] = useState<readonly number[]>([0]);
  useEffect(() => {
    const [from, to] = range;
    const timer = setTimeout(() => setPages(Array.from({ length: to - from + 1 }, (_, at) => from + at)), settleMs);
    return () => clearTimeout(timer);
  }, [range]);
  const show = useCallback((first: number, last: number) => {
    const next = [Math.floor(Math.max(0, first) / pageSize), Math.floor(Math.max(0, last) / pageSize)] as const;
    setRange((known) => (known[0] === next[0] && known[1] === next[1] ? known : next));
  }, []);
  return [pages, show];
}

/** All loaded pages: those on the screen and those seen before. */
function usePages(
  search: FindSearch,
  asOf: SearchPage['asOf'],
  first: SearchPage | undefined,
  numbers: readonly number[],
  others: readonly { readonly data: SearchPage | undefined; readonly dataUpdatedAt: number }[],
): ReadonlyMap<number, SearchPage> {
  const client = useQueryClient();
  const updates = others.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `updates` stands for the data of the others
  return useMemo(() => {
    const pages = new Map<number, SearchPage>();
    if (first) pages.set(0, first);
    const cached = client.getQueriesData<SearchPage>({ queryKey: ['hits', search] });
    for (const [key, data] of cached) {
      if (data && key[2] !== 0 && key[3] === (asOf ?? null)) pages.set(Number(key[2]), data);
    }
    return pages;
  }, [client, search, asOf, first, numbers.join(), updates]);
}

function findIndex(pages: ReadonlyMap<number, SearchPage>, id: number, threadId?: string): number {
  const find = (isWanted: (hit: Hit) => boolean) => {
    for (const [page, { logs }] of pages) {
      const at = logs.findIndex(isWanted);
      if (at >= 0) return page * pageSize + at;
    }
    return -1;
  };
  const own = find((hit) => hit.id === id);
  return own >= 0 || threadId === undefined ? own : find((hit) => hit.thread?.id === threadId);
}
