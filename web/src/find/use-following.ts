import { useCallback, useState, useSyncExternalStore } from 'react';
import type { FindSearch } from './find-search.ts';

interface FollowingDeps {
  readonly search: FindSearch;
  readonly isReading: boolean;
  readonly isTop: boolean;
  /** Whether entries are selected: none of them may move while more are chosen. */
  readonly isSelecting: boolean;
}

export interface Following {
  /** Whether the list can follow: only if the newest entries come first. */
  readonly isOffered: boolean;
  readonly isFollowing: boolean;
  readonly pause: () => void;
  readonly follow: () => void;
}

/**
 * Whether new entries are put into the list as they come: by default while it is at its top and no entry is open. The
 * reader can pause it there, or let it follow next to an open entry.
 */
export function useFollowing({ search, isReading, isTop, isSelecting }: FollowingDeps): Following {
  const [choice, choose] = useState<'default' | 'paused' | 'whileReading'>('default');
  // The choice to follow next to an entry lasts as long as an entry is open.
  if (choice === 'whileReading' && !isReading) choose('default');
  const isOffered = search.sort === undefined;
  const isWanted = choice === 'default' ? !isReading : choice === 'whileReading';
  const pause = useCallback(() => choose('paused'), []);
  const follow = useCallback(() => choose(isReading ? 'whileReading' : 'default'), [isReading]);
  return { isOffered, isFollowing: isOffered && isWanted && isTop && !isSelecting, pause, follow };
}

export function useIsTabShown(): boolean {
  return useSyncExternalStore(watchTab, () => document.visibilityState === 'visible');
}

function watchTab(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
