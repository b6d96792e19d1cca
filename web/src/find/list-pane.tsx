import { useRouter } from '@tanstack/react-router';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../components/problem.tsx';
import { LinePlace } from '../compose/line-place.tsx';
import { OpenHandOver } from '../hand-over/open-hand-over.tsx';
import { useShortcut } from '../keys/use-shortcut.ts';
import { useMarkRead } from '../shifts/use-last-visit.ts';
import type { FindSearch } from './find-search.ts';
import { NewsPill } from './news-pill.tsx';
import { NoHits } from './no-hits.tsx';
import { type ListHandle, ResultList } from './result-list.tsx';
import { RowSkeleton } from './result-row.tsx';
import { ResultsHead } from './results-head.tsx';
import { useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { useLiveList } from './use-live-list.ts';
import type { Results } from './use-results.ts';

interface ListPaneProps {
  readonly search: FindSearch;
  readonly results: Results;
  readonly openId: number | undefined;
  /** The position of the open entry, or of its thread. */
  readonly openPosition: number;
  readonly onOpen: (id: number) => void;
  readonly onChange: (search: FindSearch) => void;
  readonly onFilters: (() => void) | undefined;
  readonly handle: RefObject<ListHandle | null>;
}

/** Shows the results: how the search was understood, the number of matches, the timeline and the entries. */
export function ListPane(props: ListPaneProps) {
  const { search, results, openId, openPosition, onOpen, onChange, onFilters, handle } = props;
  const router = useRouter();
  const [unfolded, unfold] = useUnfolded();
  const selection = useSelection(results);
  const { news, live, onTop, onPoint, showNews } = useLiveList(props, selection.hits.size > 0);
  useShortcut('select', () => selection.toggle(focusedPosition() ?? openPosition), selection.isOffered);
  useMarkRead(openId);
  useShortcut('showNew', showNews, news.count > 0);
  const hrefOf = useCallback(
    (id: number) => router.buildLocation({ to: '/entries/$entryId', params: { entryId: String(id) }, search }).href,
    [router, search],
  );
  useTopOfSearch(search, handle);
  return (
    <>
      <ResultsHead search={search} results={results} live={live} onChange={onChange} onFilters={onFilters} />
      <OpenHandOver />
      <LinePlace query={search.query} />
      {results.error && results.hitCount === undefined ? (
        <Problem error={results.error} retry={results.reload} />
      ) : results.isLoading ? (
        <LoadingRows />
      ) : results.hitCount === 0 ? (
        <NoHits search={search} onChange={onChange} newCount={news.count} onNews={showNews} />
      ) : (
        <ResultList
          results={results}
          openId={openId}
          openPosition={openPosition}
          unfolded={unfolded}
          selection={selection}
          arrivedAfterId={news.arrivedAfterId}
          hrefOf={hrefOf}
          onOpen={onOpen}
          onUnfold={unfold}
          pill={<NewsPill count={news.count} onShow={showNews} />}
          handle={handle}
          search={search}
          onTop={onTop}
          onPoint={onPoint}
        />
      )}
      <SelectionBar selection={selection} />
    </>
  );
}

/** Scrolls a new search to its top. A return to the same search keeps the position. */
function useTopOfSearch(search: FindSearch, handle: ListPaneProps['handle']): void {
  const shown = useRef(search);
  useEffect(() => {
    if (shown.current !== search) handle.current?.toTop();
    shown.current = search;
  }, [search, handle]);
}

/** The position of the row with the focus, which may be on one of its replies. */
function focusedPosition(): number | undefined {
  const row = document.activeElement;
  const index = row?.closest<HTMLElement>('.list-item')?.dataset.index;
  return index === undefined || row?.matches('.fold-row') ? undefined : Number(index);
}

/** Shows nothing for a moment, then placeholders, so that a fast answer does not flicker. */
function LoadingRows() {
  const { t } = useTranslation('find');
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="list" role="status" aria-busy="true" aria-label={t('loading')}>
      {isShown && Array.from({ length: 12 }, (_, at) => <RowSkeleton key={String(at)} seed={at} />)}
    </div>
  );
}

/** The threads that are unfolded. */
function useUnfolded(): [ReadonlySet<string>, (id: string, isUnfolded: boolean) => void] {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const unfold = useCallback((id: string, isUnfolded: boolean) => {
    setUnfolded((known) => {
      const next = new Set(known);
      if (isUnfolded) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  return [unfolded, unfold];
}
