import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import { groupPropertyName } from '../api/group-property.ts';
import type { Entry } from '../api/types.ts';

export function entryQuery(id: string) {
  return queryOptions({
    queryKey: ['entry', id] as const,
    queryFn: async ({ signal }): Promise<Entry> =>
      dataOf(await api.GET('/logs/{logId}', { params: { path: { logId: id } }, signal })),
  });
}

/** All versions of an entry, the first one first. */
export function versionsQuery(id: string) {
  return queryOptions({
    queryKey: ['versions', id] as const,
    queryFn: async ({ signal }): Promise<readonly Entry[]> => {
      const params = { path: { logId: id } };
      const [earlier, entry] = await Promise.all([
        api.GET('/logs/archived/{logId}', { params, signal }),
        api.GET('/logs/{logId}', { params, signal }),
      ]);
      const { logs } = dataOf<{ readonly logs: readonly Entry[] }>(earlier);
      return [...logs.toReversed(), dataOf<Entry>(entry)];
    },
    staleTime: 0,
  });
}

/** The group that links an entry with its replies; undefined when it stands alone. */
export function groupIdOf({ properties }: Pick<Entry, 'properties'>): string | undefined {
  const group = properties.find(({ name }) => name === groupPropertyName);
  return group?.attributes.find(({ name }) => name === 'id')?.value ?? undefined;
}

/** The properties that people see. */
export function shownProperties({ properties }: Pick<Entry, 'properties'>): Entry['properties'] {
  return properties.filter(({ name }) => name !== groupPropertyName);
}
