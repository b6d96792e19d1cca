import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/api.ts';
import { groupPropertyName } from '../api/group-property.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Entry, Hit, SearchPage } from '../api/types.ts';
import { levelLook, levelRank } from '../components/level.tsx';
import { useLive } from '../live/live-connection.ts';
import type { Shift } from '../shifts/shift.ts';

const shownEntries = 30;
/** Time for which a new entry is shown large, whatever its level. */
const arrivalMs = 60_000;
/** Interval of additional polling: a missed notification must not leave a wall outdated. */
const recheckMs = 120_000;
/** Notifications within this time cause one request. */
const gatherMs = 250;
/** Minimum time between two requests, however many entries come. */
const restMs = 2_000;

/** The newest entries; read again with each notification. */
export function useNewestEntries(query: string | undefined) {
  const client = useQueryClient();
  const newest = useQuery({
    queryKey: ['hits', 'wall', query ?? ''],
    queryFn: async ({ signal }): Promise<SearchPage> => {
      const params = { query: { ...(query !== undefined && { query }), view: 'list', size: String(shownEntries) } };
      return dataOf(await api.GET('/logs/search', { params, signal }));
    },
    refetchInterval: recheckMs,
    refetchIntervalInBackground: true,
  });
  useChanges(() => {
    void client.invalidateQueries({ queryKey: ['hits', 'wall'] });
    void client.invalidateQueries({ queryKey: ['facets'] });
    void client.invalidateQueries({ queryKey: ['entry'] });
    void client.invalidateQueries({ queryKey: ['replies'] });
  });
  return newest;
}

/** Calls the listener soon after a notification, once for several that come together. */
function useChanges(listener: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const calledAtMs = useRef(Number.NEGATIVE_INFINITY);
  useLive(() => {
    const waitMs = Math.max(gatherMs, calledAtMs.current + restMs - performance.now());
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      calledAtMs.current = performance.now();
      listener();
    }, waitMs);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}

/** The newest Urgent entry of the shift, which may be older than the listed entries. */
export function useUrgentEntries(query: string | undefined, shift: Shift | undefined, levels: readonly string[]) {
  const urgent = levels.filter((level) => levelLook(level) === 'urgent');
  const startMs = shift?.startMs ?? 0;
  const { data } = useQuery({
    queryKey: ['hits', 'wall', query ?? '', startMs, urgent],
    queryFn: async ({ signal }): Promise<SearchPage> => {
      const level = urgent.map((one) => `"${one}"`).join(',');
      const start = new Date(startMs).toISOString();
      const params = { query: { ...(query !== undefined && { query }), level, start, view: 'list', size: '1' } };
      return dataOf(await api.GET('/logs/search', { params, signal }));
    },
    enabled: shift !== undefined && urgent.length > 0,
  });
  return data?.logs ?? [];
}

/**
 * Returns the entry to show large: one that has just arrived, else the most severe of the shift, else the newest. Only
 * a newer Urgent entry replaces an Urgent one.
 */
export function useFeatured(hits: readonly Hit[] | undefined, shiftStartMs: number, nowMs: number): Hit | undefined {
  const newest = hits?.[0];
  const [arrival, setArrival] = useState<{ readonly id: number; readonly untilMs: number }>();
  const known = useRef<number>(undefined);
  useEffect(() => {
    if (newest === undefined) return;
    if (known.current !== undefined && newest.id > known.current) {
      setArrival({ id: newest.id, untilMs: serverNow() + arrivalMs });
    }
    known.current = newest.id;
  }, [newest]);
  const gravest = featured(hits ?? [], shiftStartMs);
  if (gravest !== undefined && levelLook(gravest.level) === 'urgent') return gravest;
  return arrival && nowMs < arrival.untilMs && newest?.id === arrival.id ? newest : gravest;
}

/**
 * Returns the most severe entry since that time, or the newest of several such entries; the newest of all if there is
 * none.
 */
function featured(hits: readonly Hit[], sinceMs: number): Hit | undefined {
  const recent = hits.filter(({ createdDate }) => createdDate >= sinceMs);
  return recent.toSorted((a, b) => levelRank(a.level) - levelRank(b.level))[0] ?? hits[0];
}

export function entryQuery(id: number) {
  return queryOptions({
    queryKey: ['entry', String(id)] as const,
    queryFn: async ({ signal }): Promise<Entry> =>
      dataOf(await api.GET('/logs/{logId}', { params: { path: { logId: String(id) } }, signal })),
  });
}

/** The replies to an entry, oldest first. */
export function repliesQuery(hit: Hit) {
  const group = hit.properties.find(({ name }) => name === groupPropertyName)?.attributes[0]?.value ?? undefined;
  return queryOptions({
    queryKey: ['replies', hit.id, group ?? ''] as const,
    queryFn: async ({ signal }): Promise<readonly Hit[]> => {
      const query = { properties: `${groupPropertyName}.id.${group}`, sort: 'up', view: 'list', size: '100' };
      const page = dataOf<SearchPage>(await api.GET('/logs/search', { params: { query }, signal }));
      return page.logs.filter(({ id }) => id !== hit.id);
    },
    enabled: group !== undefined,
  });
}
