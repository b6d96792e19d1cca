import { useQuery } from '@tanstack/react-query';
import { Bell, BellOff, type LucideIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { threadQuery } from '../find/search-queries.ts';
import { groupIdOf } from '../read/entry-queries.ts';
import { useMe } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import { addWatch, removeWatch, watchesQuery } from './inbox-queries.ts';

interface WatchAction {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly onAction: () => void;
}

/** Returns the action that watches the thread of an entry, or stops that; none for those who are not signed in. */
export function useThreadWatch(entry: Entry): readonly WatchAction[] {
  const { t } = useTranslation('read');
  const userName = useMe()?.userName;
  const groupId = groupIdOf(entry);
  const { data: watches } = useQuery(watchesQuery(userName));
  const { data: thread = [] } = useQuery({ ...threadQuery(groupId ?? ''), enabled: groupId !== undefined });
  if (typeof userName !== 'string') return [];
  const ids: readonly number[] = [entry.id, ...thread.map(({ id }) => id)];
  // A thread is watched through one of its entries.
  const watch = watches?.find(({ entryId }) => entryId !== undefined && ids.includes(entryId));
  const toggle = async () => {
    try {
      await (watch ? removeWatch(watch.id) : addWatch({ kind: 'thread', entryId: entry.id }));
      showToast(t(watch ? 'threadUnwatched' : 'threadWatched'));
    } catch (error) {
      showProblem(error);
    }
  };
  const label = t(watch ? 'unwatchThread' : 'watchThread');
  return [{ icon: watch ? BellOff : Bell, label, onAction: () => void toggle() }];
}
