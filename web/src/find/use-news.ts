import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { Entry, Hit, SearchPage } from '../api/types.ts';
import { hasNewsSince, useLive } from '../live/live-connection.ts';
import type { FindSearch } from './find-search.ts';
import { pageQuery, searchParams } from './search-queries.ts';

/** Notifications within this time cause one request. */
const gatherMs = 250;
/** Minimum time between two requests, however many entries come. */
const restMs = 2_000;
/** Delay before a failed request is repeated, so that no entry is missed. */
const retryMs = 5_000;
const newsSize = 50;
/** Time for which rows count as new: longer than a new row takes to appear. */
const arrivalMs = 500;

export interface News {
  /** Number of hits that came since the list was read. */
  readonly count: number;
  /** Reads the list again; returns its first page, or undefined when it could not be read. */
  readonly show: () => Promise<SearchPage | undefined>;
  /** Hits with a later id have just been put into the list. */
  readonly arrivedAfterId: number | undefined;
}

interface Following {
  /** Whether new hits are put into the list, instead of being counted. */
  readonly isFollowing: boolean;
  /** Milliseconds for which the list must still rest, because the pointer is on its way to a row. */
  readonly restFor: () => number;
}

/** Follows new hits while the list is shown. Notifications that come close together share a request. */
export function useNews(search: FindSearch, firstPage: SearchPage | undefined, following: Following): News {
  const client = useQueryClient();
  const [count, setCount] = useState(0);
  const [arrivedAfterId, show] = useShow(search, setCount);
  /** Number of the last request. The answer to an earlier one that arrives later is ignored. */
  const asked = useRef(0);
  const isDue = useRef(false);
  // Hits with a later id came after the list was read, whatever its order.
  const readUpToId = firstPage && (firstPage.asOf ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search or moment has no news yet
  useEffect(() => {
    asked.current += 1;
    setCount(0);
    if (readUpToId === undefined) return;
    if (isDue.current || hasNewsSince(readAtMs(client, search))) void latestLook.current().catch(() => undefined);
  }, [search, firstPage?.asOf]);
  const look = async () => {
    // Entries that come while the list is read may not be in it.
    isDue.current = readUpToId === undefined;
    if (readUpToId === undefined) return;
    void client.invalidateQueries({ queryKey: ['thread'] });
    if (following.isFollowing) {
      await show();
      const { error } = client.getQueryState(pageQuery(search, 0, undefined).queryKey) ?? {};
      if (error) throw error;
      return;
    }
    asked.current += 1;
    const own = asked.current;
    const found = await countNews(search, readUpToId);
    if (own === asked.current) setCount(found);
  };
  const latestLook = useRef(look);
  latestLook.current = look;
  useLookOnNews(latestLook, following.restFor);
  const { isFollowing } = following;
  useEffect(() => {
    if (isFollowing && count > 0) void show();
  }, [isFollowing, count, show]);
  return { count, show, arrivedAfterId };
}

/** Returns a function that reads the list again. Afterwards, `arrivedAfterId` is the latest id from before. */
function useShow(
  search: FindSearch,
  setCount: (count: number) => void,
): [arrivedAfterId: number | undefined, show: () => Promise<SearchPage | undefined>] {
  const client = useQueryClient();
  const [arrivedAfterId, setArrived] = useState<number>();
  useEffect(() => {
    if (arrivedAfterId === undefined) return undefined;
    const timer = setTimeout(() => setArrived(undefined), arrivalMs);
    return () => clearTimeout(timer);
  }, [arrivedAfterId]);
  const show = useCallback(async () => {
    const { queryKey } = pageQuery(search, 0, undefined);
    const before = client.getQueryData(queryKey)?.asOf ?? 0;
    const page = { queryKey, exact: true };
    // Let a running request finish: if each entry cancelled the request for the one before, none would be shown.
    if (client.isFetching(page) > 0) await client.refetchQueries(page, { cancelRefetch: false });
    await client.refetchQueries(page, { cancelRefetch: false });
    const state = client.getQueryState(queryKey);
    if (state?.status !== 'success') return undefined;
    setCount(0);
    const after = state.data?.asOf ?? 0;
    if (after > before) {
      setArrived(before);
      client.removeQueries({ queryKey: ['hits'], type: 'inactive' });
      void client.invalidateQueries({ queryKey: ['facets'] });
      void client.invalidateQueries({ queryKey: ['thread'] });
    }
    return state.data;
  }, [client, search, setCount]);
  return [arrivedAfterId, show];
}

/** Looks for new hits soon after each notification of a new entry, and reads changed entries again. */
function useLookOnNews(latestLook: { readonly current: () => Promise<void> }, restFor: () => number): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The monotonic clock, because the system clock may be set back.
  const lookedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const isGone = useRef(false);
  const schedule = (leastMs = gatherMs): void => {
    if (timer.current !== undefined || isGone.current) return;
    const waitMs = Math.max(leastMs, lookedAtMs.current + restMs - performance.now(), restFor());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      if (restFor() > 0) return schedule();
      lookedAtMs.current = performance.now();
      return void latestLook.current().catch(retryLater);
    }, waitMs);
  };
  const retryLater = (error: unknown) => {
    if (error instanceof ApiError && error.isTransient) schedule(retryMs);
  };
  useLive((message) => {
    if (message.kind === 'updated') return void refreshEntry(client, message.id);
    if (message.kind === 'reconnected') void client.invalidateQueries({ queryKey: ['entry'] });
    schedule();
  });
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, []);
}

function readAtMs(client: QueryClient, search: FindSearch): number {
  return client.getQueryState(pageQuery(search, 0, undefined).queryKey)?.dataUpdatedAt ?? 0;
}

/** Returns the number of hits with a later id. */
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

/** Entries that are being read again; true: the entry has changed once more since then. */
const refreshing = new Map<number, boolean>();

/** Reads a changed entry again if the page shows it: one request at a time, so that the last answer is the newest. */
async function refreshEntry(client: QueryClient, id: number): Promise<void> {
  if (refreshing.has(id)) {
    refreshing.set(id, true);
    return;
  }
  refreshing.set(id, false);
  await readEntry(client, id);
  // A run may grow many times in a second.
  await new Promise((done) => setTimeout(done, gatherMs * 2));
  const isOutdated = refreshing.get(id);
  refreshing.delete(id);
  if (isOutdated) await refreshEntry(client, id);
}

/** Reads an entry that the page shows, and puts it into its row. */
async function readEntry(client: QueryClient, id: number): Promise<void> {
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
  // Positions of matches refer to the previous text.
  const { highlights: _, ...rest } = hit;
  return { ...rest, ...entry, thread: hit.thread ?? null };
}
