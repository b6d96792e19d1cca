import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewport } from '../app/viewport.ts';
import { startOfDay } from '../components/format.ts';
import { useSettings } from '../settings/settings.ts';
import { LastVisitLine } from '../shifts/last-visit-line.tsx';
import { useLastVisit } from '../shifts/use-last-visit.ts';
import { DayHeading, DayLine } from './day-line.tsx';
import { EntryRow } from './entry-row.tsx';
import { type FindSearch, isByDay } from './find-search.ts';
import { keepOffset, keptOffset } from './kept-offset.ts';
import { RowCheck } from './row-check.tsx';
import type { Selection } from './selection.ts';
import { ThreadRows } from './thread-rows.tsx';
import type { Results } from './use-results.ts';
import './result-list.css';

export interface ListHandle {
  readonly reveal: (index: number) => void;
  readonly toTop: () => void;
  readonly focus: () => void;
}

interface ResultListProps {
  readonly search: FindSearch;
  readonly results: Results;
  readonly openId: number | undefined;
  readonly openPosition: number;
  readonly unfolded: ReadonlySet<string>;
  readonly selection: Selection;
  readonly hrefOf: (id: number) => string;
  readonly onOpen: (id: number) => void;
  readonly onUnfold: (threadId: string, isUnfolded: boolean) => void;
  /** The pill with the number of new entries, in the line that stays on top. */
  readonly pill: React.ReactNode;
  readonly handle: RefObject<ListHandle | null>;
  /** Told when the list is left at the top, or scrolled away from it. */
  readonly onTop: (isTop: boolean) => void;
}

const rowHeights = { default: 44, compact: 30, comfortable: 56 } as const;
const dayHeight = 28;

/** The hits, of which only those on the screen are in the page. */
export function ResultList(props: ResultListProps) {
  const { search, results, handle } = props;
  const { t } = useTranslation('find');
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRows(scroller, props);
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const { show } = results;
  useEffect(() => {
    show(first, last);
  }, [show, first, last]);
  useImperativeHandle(handle, () => ({
    reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    toTop: () => virtualizer.scrollToOffset(0),
    focus: () => scroller.current?.querySelector<HTMLElement>('a.selected, a.entry-row')?.focus(),
  }));
  const topIndex = virtualizer.getVirtualItemForOffset(virtualizer.scrollOffset ?? 0)?.index ?? 0;
  return (
    <>
      <DayLine search={search} hit={results.hitAt(topIndex)} pill={props.pill} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and clicks of the links in it */}
      <div
        ref={scroller}
        className={`list ${results.isStale ? 'stale' : ''} ${props.selection.hits.size > 0 ? 'selecting' : ''}`}
        onMouseDown={(event) => event.shiftKey && rowOf(event.target) && event.preventDefault()}
        onClick={(event) => onClick(event, props)}
        onKeyDown={(event) => onKeyDown(event, props)}
        onScroll={({ currentTarget: { scrollTop } }) => {
          keepOffset(search, scrollTop);
          props.onTop(scrollTop < 4);
        }}
      >
        <ol aria-label={t('list')} className="list-space" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => (
            <li
              key={item.key}
              data-index={item.index}
              ref={virtualizer.measureElement}
              className="list-item"
              style={{ transform: `translateY(${item.start}px)` }}
              aria-setsize={results.hitCount}
              aria-posinset={item.index + 1}
            >
              <Row index={item.index} {...props} />
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}

/** A hit with the heading of its day above it, and its unfolded replies below. */
function Row(props: ResultListProps & { readonly index: number }) {
  const { index, search, results, openId, openPosition, unfolded, selection, hrefOf } = props;
  const visit = useLastVisit();
  const hit = results.hitAt(index);
  if (!hit) return <RowSkeleton seed={index} />;
  const before = results.hitAt(index - 1);
  const thread = (hit.thread?.size ?? 0) > 1 ? hit.thread : undefined;
  const isUnfolded = thread ? unfolded.has(thread.id) : undefined;
  return (
    <>
      {startsDay(props, index) && <DayHeading search={search} ms={hit.createdDate} />}
      {search.sort === undefined && visit.isFirstRead(hit, before) && <LastVisitLine atMs={visit.readUpToMs} />}
      <div className={`entry-place ${selection.hits.has(hit.id) ? 'chosen' : ''}`}>
        <EntryRow
          hit={hit}
          href={hrefOf(hit.id)}
          isOpen={isUnfolded ? hit.id === openId : index === openPosition}
          isUnfolded={isUnfolded}
          isUnread={visit.isUnread(hit)}
          withDay={!isByDay(search)}
        />
        {selection.isOffered && <RowCheck hit={hit} index={index} selection={selection} />}
      </div>
      {thread && isUnfolded && <ThreadRows thread={thread} of={hit.id} openId={openId} hrefOf={hrefOf} />}
    </>
  );
}

function useRows(scroller: RefObject<HTMLDivElement | null>, { search, results, unfolded }: ResultListProps) {
  const { density } = useSettings();
  const isPhone = useViewport() === 'phone';
  const rowHeight = isPhone ? 78 : rowHeights[density];
  const [previous, setPrevious] = useState(rowHeight);
  const virtualizer = useVirtualizer({
    count: results.hitCount ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const hit = results.hitAt(index);
      const replies = hit?.thread && unfolded.has(hit.thread.id) ? hit.thread.size - 1 : 0;
      return rowHeight + (startsDay({ search, results }, index) ? dayHeight : 0) + replies * 28;
    },
    initialOffset: () => keptOffset(search),
    overscan: 8,
  });
  if (previous !== rowHeight) {
    setPrevious(rowHeight);
    virtualizer.measure();
  }
  return virtualizer;
}

/** Whether the entry is the first of its day, below one of another day. The first of all has the line on top. */
function startsDay({ search, results }: Pick<ResultListProps, 'search' | 'results'>, index: number): boolean {
  if (!isByDay(search)) return false;
  const hit = results.hitAt(index);
  const before = results.hitAt(index - 1);
  return hit !== undefined && before !== undefined && startOfDay(hit.createdDate) !== startOfDay(before.createdDate);
}

/** Placeholder of an entry that is being fetched. Its widths differ, as those of titles do. */
export function RowSkeleton({ seed }: { readonly seed: number }) {
  const width = 54 + ((seed * 17) % 36);
  return (
    <div className="row-skeleton" aria-hidden="true">
      <i />
      <i style={{ width: `${width}%` }} />
      <i />
      <i style={{ width: `${width - 22}%` }} />
    </div>
  );
}

function rowOf(target: EventTarget): { element: HTMLElement; id: number } | undefined {
  const element = (target as Element).closest<HTMLElement>('a[data-id]');
  return element ? { element, id: Number(element.dataset.id) } : undefined;
}

function onClick(event: React.MouseEvent, { onOpen, selection }: ResultListProps): void {
  const row = rowOf(event.target);
  if (!row || event.ctrlKey || event.metaKey || event.button !== 0) return;
  if (event.shiftKey && !selection.isOffered) return;
  event.preventDefault();
  if (event.shiftKey) selection.extendTo(Number(row.element.closest<HTMLElement>('.list-item')?.dataset.index));
  else onOpen(row.id);
}

function onKeyDown(event: React.KeyboardEvent, { results, onUnfold }: ResultListProps): void {
  const row = rowOf(event.target);
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a[data-id]')];
    links.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
    const next = links[links.indexOf(row.element) + (event.key === 'ArrowDown' ? 1 : -1)];
    next?.focus();
    event.preventDefault();
  }
  if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
    const thread = results.hitAt(results.indexOf(row.id))?.thread;
    if (!thread || thread.size < 2) return;
    onUnfold(thread.id, event.key === 'ArrowRight');
    event.preventDefault();
  }
}
