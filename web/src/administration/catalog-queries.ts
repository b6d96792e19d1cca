import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../api/schema.ts';
import type { Facets } from '../api/types.ts';
import { sortedByName } from '../components/sorted-by-name.ts';

type Schemas = components['schemas'];
export type Logbook = Schemas['Logbook'];
export type Tag = Schemas['Tag'];
export type Level = Schemas['Level'];
export type Property = Schemas['Property'];
export type Template = Schemas['Template'];

const inactive = { params: { query: { inactive: true } } };

export const logbooksQuery = queryOptions({
  queryKey: ['catalog', 'logbooks'],
  queryFn: async ({ signal }): Promise<Logbook[]> =>
    sortedByName(dataOf<Logbook[]>(await api.GET('/logbooks', { ...inactive, signal }))),
});
export const tagsQuery = queryOptions({
  queryKey: ['catalog', 'tags'],
  queryFn: async ({ signal }): Promise<Tag[]> =>
    sortedByName(dataOf<Tag[]>(await api.GET('/tags', { ...inactive, signal }))),
});
export const levelsQuery = queryOptions({
  queryKey: ['catalog', 'levels'],
  queryFn: async ({ signal }): Promise<Level[]> => dataOf(await api.GET('/levels', { signal })),
});
export const propertiesQuery = queryOptions({
  queryKey: ['catalog', 'properties'],
  queryFn: async ({ signal }): Promise<Property[]> =>
    sortedByName(dataOf<Property[]>(await api.GET('/properties', { ...inactive, signal }))),
});
export const templatesQuery = queryOptions({
  queryKey: ['catalog', 'templates'],
  queryFn: async ({ signal }): Promise<Template[]> =>
    sortedByName(dataOf<Template[]>(await api.GET('/templates', { signal }))),
});

/** Number of entries by logbook, tag and level. */
export const entryCountsQuery = queryOptions({
  queryKey: ['facets', 'all'],
  queryFn: async ({ signal }): Promise<Facets> => dataOf(await api.GET('/logs/facets', { signal })),
});

/** Changes the catalogue, and then reads it again for everything that shows it. */
export function useCatalogChange<Input>(change: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['catalog'] }),
        client.invalidateQueries({ queryKey: ['bootstrap'] }),
      ]);
    },
  });
}
