import { useEffect, useState } from 'react';
import { whenIdle } from '../app/when-idle.ts';
import { useMe } from '../session/me.ts';
import type { FollowSearchesProps } from './follow-searches.tsx';

/** Counts the new entries of the saved searches, and notes which search is opened, once the page is idle. */
export function CountSearches(props: Omit<FollowSearchesProps, 'userName'>) {
  const userName = useMe()?.userName;
  const [Follow, setFollow] = useState<React.ComponentType<FollowSearchesProps>>();
  useEffect(() => {
    const load = async () => {
      const { FollowSearches } = await import('./follow-searches.tsx');
      setFollow(() => FollowSearches);
    };
    // If the code cannot be loaded, nothing is counted.
    whenIdle(() => void load().catch(() => undefined));
  }, []);
  return Follow && typeof userName === 'string' ? <Follow key={userName} userName={userName} {...props} /> : null;
}
