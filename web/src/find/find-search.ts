/** The state of the search as it stands in the URL. */
export interface FindSearch {
  /** The text of the search box: words and `key=value`. */
  readonly query?: string;
  readonly sort?: 'up' | 'relevance';
  readonly view?: 'flat';
}

/** Whether the list is divided into days; the best matches may be of any day. */
export function isByDay({ sort }: FindSearch): boolean {
  return sort !== 'relevance';
}

/** Reads the state from the parameters of the URL; ignores values that it does not know. */
export function findSearch(search: object): FindSearch {
  const text = (key: string) => {
    const value = [(search as Readonly<Record<string, unknown>>)[key]].flat().at(-1);
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

/** The same search with another text in its box. */
export function withQuery({ query: _, ...rest }: FindSearch, query: string | undefined): FindSearch {
  return query === undefined ? rest : { ...rest, query };
}
