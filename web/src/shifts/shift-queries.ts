import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import { groupPropertyName } from '../api/group-property.ts';
import type { Facets, Hit, SearchPage } from '../api/types.ts';

interface Range {
  readonly startMs: number;
  readonly endMs: number;
}

/** Returns the search parameters for the entries created in a range. */
const rangeParams = ({ startMs, endMs }: Range) => ({
  start: new Date(startMs).toISOString(),
  end: new Date(endMs - 1).toISOString(),
  includeevents: 'false',
});

/** Number of entries of the shift by level; with a search, only of those that match. */
export function shiftCountsQuery(shift: Range, search?: string) {
  return queryOptions({
    queryKey: ['facets', 'shift', shift.startMs, shift.endMs, search ?? ''] as const,
    queryFn: async ({ signal }): Promise<Facets> => {
      const query = { ...rangeParams(shift), ...(search !== undefined && { query: search }) };
      return dataOf(await api.GET('/logs/facets', { params: { query }, signal }));
    },
  });
}

const maxListed = 200;

/** The entries of the shift, oldest first. */
export function shiftEntriesQuery(shift: Range) {
  return queryOptions({
    queryKey: ['hits', 'shift', shift.startMs, shift.endMs] as const,
    queryFn: async ({ signal }): Promise<SearchPage> => {
      const query = { ...rangeParams(shift), view: 'list', sort: 'up', size: String(maxListed) };
      return dataOf(await api.GET('/logs/search', { params: { query }, signal }));
    },
  });
}

/** The unanswered entries of the shift with these levels. */
export function unansweredQuery(shift: Range, levels: readonly string[]) {
  return queryOptions({
    queryKey: ['hits', 'unanswered', shift.startMs, shift.endMs, levels] as const,
    queryFn: async ({ signal }): Promise<readonly Hit[]> => {
      const level = levels.map((one) => `"${one}"`).join(',');
      const query = { ...rangeParams(shift), level, query: '-is:reply', view: 'list', size: String(maxListed) };
      const page = dataOf<SearchPage>(await api.GET('/logs/search', { params: { query }, signal }));
      return page.logs.filter(({ properties }) => !properties.some(({ name }) => name === groupPropertyName));
    },
  });
}
