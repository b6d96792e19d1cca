import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { whenIdle } from '../app/when-idle.ts';
import { useMe } from '../session/me.ts';
import { refreshInbox, unreadQuery } from './inbox-queries.ts';
import { mayBeInInbox } from './refresh-delay.ts';
import { useRefreshOnNews } from './use-refresh-on-news.ts';

const pauseMs = 20_000;
const spreadMs = 3_000;

/** Returns the number of unread items, which follows the changes of entries; undefined until it is known. */
export function useUnread(): number | undefined {
  const userName = useMe()?.userName;
  const [isIdle, setIdle] = useState(false);
  // The list has priority.
  useEffect(() => whenIdle(() => setIdle(true)), []);
  const isEnabled = typeof userName === 'string' && isIdle;
  const { data, dataUpdatedAt: readMs } = useQuery({ ...unreadQuery(userName), enabled: isEnabled });
  const isNews = () => isEnabled && mayBeInInbox({ nowMs: Date.now(), watches: data?.watches, readMs });
  useRefreshOnNews({ pauseMs, spreadMs, isNews, refresh: () => void refreshInbox() });
  return data?.unread;
}
