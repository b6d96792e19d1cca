import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { isFocusFree } from '../app/page-focus.ts';
import { useUnseenCount } from '../components/page-title.ts';
import { onSent } from '../drafts/sent-entries.ts';
import type { FindSearch } from './find-search.ts';
import { isAtTop, keptOffset } from './kept-offset.ts';
import type { LiveLightProps } from './live-light.tsx';
import type { ListHandle } from './result-list.tsx';
import { pageQuery } from './search-queries.ts';
import { useFollowing, useIsTabShown } from './use-following.ts';
import { type News, useNews } from './use-news.ts';
import type { Results } from './use-results.ts';

/** Time after a movement of the pointer during which nothing moves under it: the user may be about to press. */
const pointedMs = 1_000;

interface LiveListDeps {
  readonly search: FindSearch;
  readonly results: Results;
  readonly openId: number | undefined;
  readonly handle: RefObject<ListHandle | null>;
}

interface LiveList {
  readonly news: News;
  readonly live: LiveLightProps;
  /** Shows the new entries, and goes to them. */
  readonly showNews: () => void;
  readonly onTop: (isTop: boolean) => void;
  readonly onPoint: () => void;
}

/** Puts new entries into the list as they come, or holds them back and counts them while someone reads. */
export function useLiveList({ search, results, openId, handle }: LiveListDeps, isSelecting: boolean): LiveList {
  const client = useQueryClient();
  // Until the first rows are drawn, the list has the offset at which it was left.
  const [isScrolledTop, onTop] = useState(() => isAtTop(keptOffset(search)));
  // A list without entries cannot be scrolled.
  const isTop = isScrolledTop || !results.hitCount;
  const isTabShown = useIsTabShown();
  const following = useFollowing({ search, isReading: openId !== undefined, isTop, isSelecting });
  // The monotonic clock, because the system clock may be set back.
  const pointedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const onPoint = useCallback(() => {
    pointedAtMs.current = performance.now();
  }, []);
  const restFor = () => (following.isFollowing ? pointedAtMs.current + pointedMs - performance.now() : 0);
  const firstPage = client.getQueryData(pageQuery(search, 0, undefined).queryKey);
  const news = useNews(search, firstPage, { isFollowing: following.isFollowing && isTabShown, restFor });
  useUnseenCount(news.count);
  useKeptFocus(firstPage?.asOf, handle);
  const goToNews = useGoToNews(search, results, handle);
  const showNews = async () => {
    const page = await news.show();
    if (page) goToNews(page.hitCount);
  };
  useOwnEntries(() => {
    const isReading = !isTop && (openId !== undefined || pointedAtMs.current >= 0);
    if (!isReading) void news.show().then(() => search.sort === undefined && handle.current?.toTop());
  });
  const onSwitch = () => {
    if (following.isFollowing) return following.pause();
    following.follow();
    return void showNews();
  };
  const isPaused = following.isOffered ? !following.isFollowing : news.count > 0 || !isTop;
  const live = { isPaused, onSwitch: following.isOffered ? onSwitch : undefined };
  return { news, live, showNews: () => void showNews(), onTop, onPoint };
}

/** Returns a function that goes to the new entries: at the end of the list if the oldest come first. */
function useGoToNews(
  { sort }: FindSearch,
  { hitCount }: Results,
  handle: LiveListDeps['handle'],
): (count: number) => void {
  const [wantedCount, wantCount] = useState<number>();
  useEffect(() => {
    if (wantedCount === undefined || hitCount === undefined || hitCount < wantedCount) return;
    wantCount(undefined);
    const list = handle.current;
    if (sort === 'up') list?.reveal(hitCount - 1);
    else list?.toTop();
    // The button that was pressed has gone.
    if (isFocusFree()) list?.focus(sort === 'up' ? hitCount - 1 : 0);
  }, [wantedCount, hitCount, sort, handle]);
  return wantCount;
}

/** Keeps the focus in the list when a newer entry of the thread has replaced the focused row. */
function useKeptFocus(asOf: number | undefined, handle: LiveListDeps['handle']): void {
  const wasInList = useRef(false);
  wasInList.current = document.activeElement?.closest('.list') != null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the list was read again
  useEffect(() => {
    if (wasInList.current && isFocusFree()) handle.current?.focus(0);
  }, [asOf, handle]);
}

/** Shows the entries that this tab has sent as soon as they are there. */
function useOwnEntries(show: () => void): void {
  const client = useQueryClient();
  const latest = useRef(show);
  latest.current = show;
  useEffect(
    () =>
      onSent(({ kind }) => {
        if (kind === 'edit') return;
        void client.invalidateQueries({ queryKey: ['thread'] });
        latest.current();
      }),
    [client],
  );
}
