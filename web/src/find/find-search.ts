import type { UrlSearch } from '../app/url-search.ts';

/** The state of the search as it stands in the URL. */
export interface FindSearch {
  /** The text of the search box: words and `key=value`. */
  readonly query?: string;
  readonly sort?: 'up' | 'relevance';
  readonly view?: 'flat';
}

/** Reads the state from the parameters of the URL; what it does not know is dropped. */
export function findSearch(search: UrlSearch | Readonly<Record<string, unknown>>): FindSearch {
  const text = (key: string) => {
    const value = [search[key] ?? []].flat().at(-1);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const query = text('query');
  const sort = text('sort');
  return {
    ...(query !== undefined && { query }),
    ...((sort === 'up' || sort === 'relevance') && { sort }),
    ...(text('view') === 'flat' && { view: 'flat' as const }),
  };
}
