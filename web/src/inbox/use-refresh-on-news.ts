import { useEffect, useRef } from 'react';
import { type LiveMessage, useLive } from '../live/live-connection.ts';
import { refreshDelayMs } from './refresh-delay.ts';

interface RefreshOnNews {
  /** Minimum time between two reads, however many entries arrive. */
  readonly pauseMs: number;
  /** Maximum random addition, so that not all browsers send requests at the same moment. */
  readonly spreadMs: number;
  readonly isNews: (message: LiveMessage) => boolean;
  readonly refresh: () => void;
  /** Whether there may have been news since the last read, before the component listened. */
  readonly isDue?: boolean;
}

/** Calls `refresh` soon after news, but not before the page is visible. */
export function useRefreshOnNews({ pauseMs, spreadMs, isNews, refresh, isDue = false }: RefreshOnNews): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refreshedMs = useRef(0);
  const { current: run } = useRef((): void => {
    if (document.hidden) {
      document.addEventListener('visibilitychange', run, { once: true });
      return;
    }
    timer.current = undefined;
    refreshedMs.current = Date.now();
    latest.current();
  });
  const schedule = () => {
    if (timer.current !== undefined) return;
    const delayMs = refreshDelayMs({ nowMs: Date.now(), refreshedMs: refreshedMs.current, pauseMs });
    timer.current = setTimeout(run, delayMs + Math.random() * spreadMs);
  };
  useLive((message) => isNews(message) && schedule());
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time
  useEffect(() => {
    if (isDue) schedule();
  }, [isDue]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      document.removeEventListener('visibilitychange', run);
    },
    [run],
  );
}
