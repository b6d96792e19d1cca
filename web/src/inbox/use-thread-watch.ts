import { useQuery } from '@tanstack/react-query';
import { Bell, BellOff, type LucideIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../session/me.ts';
import { showToast } from '../toasts/toasts.ts';
import { addWatch, removeWatch, watchesQuery } from './inbox-queries.ts';

interface WatchAction {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly onAction: () => void;
}

/** Returns the action that watches the thread of an entry, or stops that; none for those who are not signed in. */
export function useThreadWatch(entryId: number): readonly WatchAction[] {
  const { t } = useTranslation('read');
  const userName = useMe()?.userName;
  const { data: watches } = useQuery(watchesQuery(userName));
  if (typeof userName !== 'string') return [];
  const watch = watches?.find((one) => one.entryId === entryId);
  const toggle = async () => {
    try {
      await (watch ? removeWatch(watch.id) : addWatch({ kind: 'thread', entryId }));
      showToast(t(watch ? 'threadUnwatched' : 'threadWatched'));
    } catch (error) {
      showToast((error as Error).message, { tone: 'problem' });
    }
  };
  const label = t(watch ? 'unwatchThread' : 'watchThread');
  return [{ icon: watch ? BellOff : Bell, label, onAction: () => void toggle() }];
}
