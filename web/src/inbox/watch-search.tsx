import { useQuery } from '@tanstack/react-query';
import { Bell, BellPlus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';
import type { FindSearch } from '../find/find-search.ts';
import { useMe } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import { addWatch, removeWatch, watchesQuery, watchQuery } from './inbox-queries.ts';

interface WatchSearchProps {
  readonly search: FindSearch;
  /** Label of the button; the default names the search. */
  readonly label?: string;
}

/** Brings new entries that match the search into the inbox, or stops that. */
export function WatchSearch({ search, label }: WatchSearchProps) {
  const { t } = useTranslation('find');
  const userName = useMe()?.userName;
  const isOffered = typeof userName === 'string' && search.query !== undefined;
  const { data: watches } = useQuery({ ...watchesQuery(userName), enabled: isOffered });
  if (!isOffered || search.query === undefined) return null;
  const name = search.query;
  const query = watchQuery(name);
  const watch = watches?.find((one) => one.query === query);
  const toggle = async () => {
    try {
      await (watch ? removeWatch(watch.id) : addWatch({ kind: 'search', name: name.slice(0, 255), query }));
      showToast(t(watch ? 'searchUnwatched' : 'searchWatched'));
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <IconButton
      small
      icon={watch ? Bell : BellPlus}
      label={label ?? t('watchSearch')}
      aria-pressed={watch !== undefined}
      onClick={() => void toggle()}
    />
  );
}
