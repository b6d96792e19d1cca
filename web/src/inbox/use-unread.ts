import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { whenIdle } from '../app/when-idle.ts';
import { useLive } from '../live/live-connection.ts';
import { useMe } from '../session/me.ts';
import { refreshInbox, unreadQuery } from './inbox-queries.ts';

/** Time after a message at which the inbox is read again: the service has evaluated the change then. */
const minDelayMs = 1_500;
/** Added at random, so that the browsers of everybody do not ask at the same moment. */
const spreadMs = 3_000;

/** Returns the number of unread items, which follows the changes of entries; undefined until it is known. */
export function useUnread(): number | undefined {
  const userName = useMe()?.userName;
  const [isIdle, setIdle] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The list has priority.
  useEffect(() => whenIdle(() => setIdle(true)), []);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isEnabled = typeof userName === 'string' && isIdle;
  useLive(() => {
    if (!isEnabled || timer.current !== undefined) return;
    const refresh = () => {
      timer.current = undefined;
      void refreshInbox();
    };
    timer.current = setTimeout(refresh, minDelayMs + Math.random() * spreadMs);
  });
  return useQuery({ ...unreadQuery(userName), enabled: isEnabled }).data;
}
