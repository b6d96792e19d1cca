import { queryOptions, useQuery } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { SavedSearch } from '../api/types.ts';
import { parseSearch, stringifySearch } from '../app/url-search.ts';
import { Icon } from '../components/icon.tsx';
import { UnreadOfSearch } from '../inbox/unread-of-search.tsx';
import { useMe } from '../session/me.ts';
import { type FindSearch, findSearch } from './find-search.ts';

/** One's own searches and those that others share. */
export const savedSearchesQuery = queryOptions({
  queryKey: ['saved-searches'],
  queryFn: async ({ signal }): Promise<readonly SavedSearch[]> => dataOf(await api.GET('/me/searches', { signal })),
  retry: false,
});

/** A search is stored as the parameters of its address, so that sorting and view are part of it. */
export function storedQuery(search: FindSearch): string {
  return stringifySearch({ ...search }).slice(1);
}

export function storedSearch(query: string): FindSearch {
  return findSearch(parseSearch(query));
}

interface SavedSearchesProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
}

export function SavedSearches({ search, onChange }: SavedSearchesProps) {
  const { t } = useTranslation('find');
  const me = useMe();
  const { data: saved } = useQuery({ ...savedSearchesQuery, enabled: typeof me?.userName === 'string' });
  if (!saved || saved.length === 0) return null;
  const current = storedQuery(search);
  return (
    <section className="facet" aria-label={t('savedSearches')}>
      <h2>{t('savedSearches')}</h2>
      <ul>
        {saved.map(({ id, name, query }) => (
          <li key={id}>
            <a
              href={`/?${query}`}
              aria-current={query === current ? 'page' : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                onChange(storedSearch(query));
              }}
            >
              <Icon of={Bookmark} />
              <span className="cut">{name}</span>
              <UnreadOfSearch id={id} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
