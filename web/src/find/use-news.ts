import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/api.ts';
import type { Entry, Hit, SearchPage } from '../api/types.ts';
import { useLive } from '../live/live-connection.ts';
import type { FindSearch } from './find-search.ts';
import { searchParams } from './search-queries.ts';

/** Several notifications in a row cause one request. */
const gatherMs = 250;
const newsSize = 50;

/** Counts the hits that came since the list was read. One request for a notification; the list itself stays. */
export function useNews(search: FindSearch, firstPage: SearchPage | undefined): readonly [number, () => void] {
  const client = useQueryClient();
  const [count, setCount] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Number of the last answer that was asked for: an earlier one that comes later says nothing. */
  const asked = useRef(0);
  const isDue = useRef(false);
  // Whatever the order of the list, what has a later id came after it was read.
  const readUpToId = firstPage && (firstPage.asOf ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search or moment has no news yet
  useEffect(() => {
    asked.current += 1;
    setCount(0);
    if (readUpToId === undefined || !isDue.current) return;
    void latestLook.current().catch(() => undefined);
  }, [search, firstPage?.asOf]);
  const look = async () => {
    // Entries that come while the list is read may not be in it.
    isDue.current = readUpToId === undefined;
    if (readUpToId === undefined) return;
    asked.current += 1;
    const own = asked.current;
    const found = await countNews(search, readUpToId);
    if (own === asked.current) setCount(found);
  };
  const latestLook = useRef(look);
  latestLook.current = look;
  useLive((message) => {
    if (message.kind === 'updated') {
      void refreshEntry(client, message.id);
      return;
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void latestLook.current().catch(() => undefined), gatherMs);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const accept = useCallback(() => {
    asked.current += 1;
    setCount(0);
    void client.resetQueries({ queryKey: ['hits'] });
    void client.invalidateQueries({ queryKey: ['facets'] });
    void client.invalidateQueries({ queryKey: ['thread'] });
  }, [client]);
  return [count, accept];
}

/** How many of the hits have a later id. */
async function countNews(search: FindSearch, readUpToId: number): Promise<number> {
  const { sort: _, ...params } = searchParams({ ...search, view: 'flat' });
  const read = async (query: { readonly size: string; readonly asOf?: string }) =>
    dataOf<SearchPage>(await api.GET('/logs/search', { params: { query: { ...params, ...query, view: 'list' } } }));
  const newest = await read({ size: String(newsSize) });
  const listed = newest.logs.filter(({ id }) => id > readUpToId).length;
  if (listed < newsSize) return listed;
  const known = await read({ size: '1', asOf: String(readUpToId) });
  return newest.hitCount - known.hitCount;
}

/** Reads a changed entry again if the page shows it, and puts it into its row. */
async function refreshEntry(client: ReturnType<typeof useQueryClient>, id: number): Promise<void> {
  const isOpen = client.getQueryState(['entry', String(id)]) !== undefined;
  const pages = client.getQueriesData<SearchPage>({ queryKey: ['hits'] });
  const isListed = pages.some(([, page]) => page?.logs.some((hit) => hit.id === id));
  if (!isOpen && !isListed) return;
  const answer = await api.GET('/logs/{logId}', { params: { path: { logId: String(id) } } }).catch(() => undefined);
  const entry = answer && dataOf<Entry>(answer);
  if (!entry) return;
  if (isOpen) client.setQueryData(['entry', String(id)], entry);
  client.setQueriesData<SearchPage>({ queryKey: ['hits'] }, (page) =>
    page?.logs.some((hit) => hit.id === id)
      ? { ...page, logs: page.logs.map((hit) => (hit.id === id ? withEntry(hit, entry) : hit)) }
      : page,
  );
}

function withEntry(hit: Hit, { source: _s, description: _d, ...entry }: Entry): Hit {
  // The positions of matches are those of the text before.
  const { highlights: _, ...rest } = hit;
  return { ...rest, ...entry, thread: hit.thread ?? null };
}
