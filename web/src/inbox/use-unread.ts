import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { whenIdle } from '../app/when-idle.ts';
import { useLive } from '../live/live-connection.ts';
import { useMe } from '../session/me.ts';
import { refreshInbox, unreadQuery } from './inbox-queries.ts';
import { refreshDelayMs } from './refresh-delay.ts';

/** Random addition, so that not all browsers send requests at the same moment. */
const spreadMs = 3_000;

/** Returns the number of unread items, which follows the changes of entries; undefined until it is known. */
export function useUnread(): number | undefined {
  const userName = useMe()?.userName;
  const [isIdle, setIdle] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refreshedMs = useRef(0);
  // The list has priority.
  useEffect(() => whenIdle(() => setIdle(true)), []);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isEnabled = typeof userName === 'string' && isIdle;
  const { data, dataUpdatedAt: readMs } = useQuery({ ...unreadQuery(userName), enabled: isEnabled });
  useLive(() => {
    if (!isEnabled || timer.current !== undefined) return;
    const watches = data?.watches ?? 1;
    const delayMs = refreshDelayMs({ nowMs: Date.now(), watches, readMs, refreshedMs: refreshedMs.current });
    if (delayMs === undefined) return;
    const refresh = () => {
      if (document.hidden) {
        document.addEventListener('visibilitychange', refresh, { once: true });
        return;
      }
      timer.current = undefined;
      refreshedMs.current = Date.now();
      void refreshInbox();
    };
    timer.current = setTimeout(refresh, delayMs + Math.random() * spreadMs);
  });
  return data?.unread;
}
