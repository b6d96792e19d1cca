import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../components/format.ts';
import type { FindSearch } from '../find/find-search.ts';
import { useMe } from '../session/me.ts';
import { unreadQuery, watchesQuery, watchQuery } from './inbox-queries.ts';

/** The number of unread items that watching a search brought into the inbox; nothing if there are none. */
export function UnreadOfSearch({ search: { query = '' } }: { readonly search: FindSearch }) {
  const { t } = useTranslation('find');
  const userName = useMe()?.userName;
  // The bell requests this number once the list has loaded.
  const { data: inbox } = useQuery({ ...unreadQuery(userName), enabled: false });
  const isAny = query !== '' && (inbox?.unread ?? 0) > 0;
  const { data: watches } = useQuery({ ...watchesQuery(userName), enabled: isAny });
  const count = isAny ? (watches?.find((watch) => watch.query === watchQuery(query))?.unread ?? 0) : 0;
  if (count === 0) return null;
  return (
    <span className="count unread">
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="visually-hidden">{t('unread', { count })}</span>
    </span>
  );
}
