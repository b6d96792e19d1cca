import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../components/format.ts';
import { useMe } from '../session/me.ts';

/** Number of entries of each saved search, by its id, that were created since the user last opened it. */
export type SearchCounts = Readonly<Record<string, number>>;

/** The counts as they are known; `FollowSearches` reads them. */
export const searchCountsQuery = (userName: string | null | undefined) =>
  queryOptions<SearchCounts>({ queryKey: ['search-counts', userName], enabled: false });

/** The number of new entries of a saved search; nothing if there are none. */
export function UnreadOfSearch({ id }: { readonly id: string }) {
  const { t } = useTranslation('find');
  const { data } = useQuery(searchCountsQuery(useMe()?.userName));
  const count = data?.[id] ?? 0;
  if (count === 0) return null;
  return (
    <span className="count unread">
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="visually-hidden">{t('unread', { count })}</span>
    </span>
  );
}
