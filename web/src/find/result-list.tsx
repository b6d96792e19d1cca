import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isFocusFree } from '../app/page-focus.ts';
import { useViewport } from '../app/viewport.ts';
import { useSettings } from '../settings/settings.ts';
import { DayLine } from './day-line.tsx';
import type { FindSearch } from './find-search.ts';
import { groupUnit } from './group-unit.ts';
import { isAtTop, keepOffset, keptOffset } from './kept-offset.ts';
import { hasHeading, type ListedRows, ResultRow } from './result-row.tsx';
import type { Selection } from './selection.ts';
import { type Folds, shownPosition, useFolds } from './use-folds.ts';
import type { Results } from './use-results.ts';
import './result-list.css';

export interface ListHandle {
  readonly reveal: (index: number) => void;
  readonly toTop: () => void;
  /** Scrolls to an entry, and focuses it as soon as it is there. */
  readonly focus: (index: number) => void;
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
  /** Called when the list is scrolled to the top, or away from it. */
  readonly onTop: (isTop: boolean) => void;
  /** Called when the pointer, the wheel or a finger acts on the list. */
  readonly onPoint: () => void;
  /** Hits with a later id have just been put into the list. */
  readonly arrivedAfterId: number | undefined;
}

const rowHeights = { default: 44, compact: 30, comfortable: 56 } as const;
const dayHeight = 28;
const foldHeight = 28;

/** The list of hits. Only those on the screen are in the document. */
export function ResultList(props: ResultListProps) {
  const { search, results, handle, onTop } = props;
  const { t } = useTranslation('find');
  const scroller = useRef<HTMLDivElement>(null);
  const unit = useMemo(() => groupUnit(results.firstHits), [results.firstHits]);
  const folds = useFolds({ ...props, unit });
  const virtualizer = useRows(scroller, { ...props, unit, folds });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const { show } = results;
  useEffect(() => {
    show(first, last);
  }, [show, first, last]);
  // A list that is shown again or has other hits may be at its top without a scroll event.
  useEffect(() => onTop(isAtTop(scroller.current?.scrollTop ?? 0)), [onTop]);
  const reveal = (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' });
  const focus = useRowFocus(scroller, reveal);
  const keyDeps = { ...props, folds, focus };
  useImperativeHandle(handle, () => ({ reveal, toTop: () => virtualizer.scrollToOffset(0), focus }));
  const topIndex = virtualizer.getVirtualItemForOffset(virtualizer.scrollOffset ?? 0)?.index ?? 0;
  const [stopId, setFocused] = useTabStop({ ...props, folds }, { first, last, topIndex });
  return (
    <>
      <DayLine search={search} unit={unit} hit={results.hitAt(topIndex)} pill={props.pill} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and clicks of the links in it */}
      <div
        ref={scroller}
        className={`list ${results.isStale ? 'stale' : ''} ${props.selection.hits.size > 0 ? 'selecting' : ''}`}
        onPointerMove={props.onPoint}
        onPointerDown={props.onPoint}
        onWheel={props.onPoint}
        onMouseDown={(event) => event.shiftKey && rowOf(event.target) && event.preventDefault()}
        onClick={(event) => onClick(event, keyDeps)}
        onFocus={({ target }) => setFocused(rowOf(target))}
        onKeyDown={(event) => onKeyDown(event, keyDeps)}
        onScroll={({ currentTarget: { scrollTop } }) => {
          keepOffset(search, scrollTop);
          onTop(isAtTop(scrollTop));
        }}
      >
        <ol aria-label={t('list')} className="list-space" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => (
            <li
              key={item.key}
              data-index={item.index}
              ref={virtualizer.measureElement}
              className="list-item"
              hidden={folds.isHidden(item.index) && folds.at(item.index)?.first !== item.index}
              style={{ transform: `translateY(${item.start}px)` }}
              aria-setsize={results.hitCount}
              aria-posinset={item.index + 1}
            >
              <ResultRow index={item.index} unit={unit} folds={folds} stopId={stopId} {...props} />
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}

function useRows(scroller: RefObject<HTMLDivElement | null>, props: ListedRows) {
  const { search, results, unfolded, folds } = props;
  const { density } = useSettings();
  const isPhone = useViewport() === 'phone';
  const rowHeight = isPhone ? 78 : rowHeights[density];
  const [previous, setPrevious] = useState(rowHeight);
  const virtualizer = useVirtualizer({
    count: results.hitCount ?? 0,
    getItemKey: useRowKeys(results),
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const hit = results.hitAt(index);
      const replies = hit?.thread && unfolded.has(hit.thread.id) ? hit.thread.size - 1 : 0;
      const heading = hasHeading(props, index) ? dayHeight : 0;
      const fold = folds.at(index);
      if (fold && !fold.isUnfolded) return fold.first === index ? heading + foldHeight : 0;
      return rowHeight + heading + (fold?.first === index ? foldHeight : 0) + replies * 28;
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

/**
 * Returns the key of each row. Rows keep their element and its focus when others are added above them. Only the rows of
 * the first page have the id of their hit as key.
 */
function useRowKeys({ firstHits }: Results): (index: number) => string | number {
  return useCallback((index) => firstHits?.[index]?.id ?? `at ${index}`, [firstHits]);
}

interface RowElement {
  readonly element: HTMLElement;
  readonly id: number;
  readonly index: number;
  /** Whether it stands for folded entries. */
  readonly isFold: boolean;
}

function rowOf(target: EventTarget): RowElement | undefined {
  const element = (target as Element).closest<HTMLElement>('[data-id]');
  if (!element) return undefined;
  const index = Number(element.closest<HTMLElement>('.list-item')?.dataset.index);
  return { element, id: Number(element.dataset.id), index, isFold: element.dataset.fold !== undefined };
}

/** Returns a function that focuses the row of an entry, which may still have to be fetched. */
function useRowFocus(scroller: RefObject<HTMLElement | null>, reveal: (index: number) => void) {
  const wanted = useRef<number>(undefined);
  const focusWanted = () => {
    const item = scroller.current?.querySelector(`[data-index="${wanted.current}"]`);
    const row = item?.querySelector<HTMLElement>('a.entry-row') ?? item?.querySelector<HTMLElement>('.fold-row');
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  };
  useEffect(() => {
    // If another field was focused while the row was fetched, that field keeps the focus.
    const isElsewhere = !isFocusFree() && document.activeElement?.matches('main') === false;
    if (isElsewhere && !scroller.current?.contains(document.activeElement)) wanted.current = undefined;
    focusWanted();
  });
  return (index: number) => {
    reveal(index);
    wanted.current = index;
    focusWanted();
  };
}

/** The entry at whose row the Tab key stops: the one focused last, the open one, or the first on the screen. */
function useTabStop(
  { results, openPosition, unfolded, folds }: ResultListProps & { readonly folds: Folds },
  { first, last, topIndex }: { readonly first: number; readonly last: number; readonly topIndex: number },
) {
  const [focused, setFocused] = useState<RowElement>();
  const shownHit = (index: number) => results.hitAt(shownPosition(folds, index, index));
  const isThere = (index: number) => index >= first && index <= last;
  const index = focused && indexNow(results, focused);
  const hit = index !== undefined && isThere(index) ? shownHit(index) : undefined;
  const isInThread = hit?.thread && unfolded.has(hit.thread.id);
  const open = isThere(openPosition) ? shownHit(openPosition) : undefined;
  const stopId = hit && (hit.id === focused?.id || isInThread) ? focused?.id : (open ?? shownHit(topIndex))?.id;
  return [stopId, setFocused] as const;
}

/** Returns the current index of a row. Others may have been added above it since it was focused. */
function indexNow(results: Results, { id, index }: RowElement): number {
  if (results.hitAt(index)?.id === id) return index;
  const moved = results.indexOf(id);
  return moved < 0 ? index : moved;
}

interface KeyDeps extends ResultListProps {
  readonly folds: Folds;
  readonly focus: (index: number) => void;
}

function onClick(event: React.MouseEvent, { onOpen, selection, folds }: KeyDeps): void {
  const row = rowOf(event.target);
  if (!row || event.ctrlKey || event.metaKey || event.button !== 0) return;
  if (row.isFold) {
    folds.unfold(row.index, row.element.getAttribute('aria-expanded') === 'false');
    return;
  }
  if (event.shiftKey && !selection.isOffered) return;
  event.preventDefault();
  if (event.shiftKey) selection.extendTo(row.index);
  else onOpen(row.id);
}

function onKeyDown(event: React.KeyboardEvent, deps: KeyDeps): void {
  const { results, folds, focus } = deps;
  const row = rowOf(event.target);
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const lastIndex = (results.hitCount ?? 1) - 1;
  const far = farIndex(event, row, lastIndex);
  if (far !== undefined) {
    focus(Math.min(shownPosition(folds, far, row.index), lastIndex));
    event.preventDefault();
  }
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-id]')];
    links.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
    const next = links[links.indexOf(row.element) + (event.key === 'ArrowDown' ? 1 : -1)];
    next?.focus();
    event.preventDefault();
  }
  if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') unfoldByKey(event, row, deps);
}

/** Unfolds or folds the automatic entries or the thread of the row. */
function unfoldByKey(event: React.KeyboardEvent, row: RowElement, { results, folds, onUnfold }: KeyDeps): void {
  const isUnfolded = event.key === 'ArrowRight';
  if (row.isFold) folds.unfold(row.index, isUnfolded);
  else {
    const thread = results.hitAt(results.indexOf(row.id))?.thread;
    if (!thread || thread.size < 2) return;
    onUnfold(thread.id, isUnfolded);
  }
  event.preventDefault();
}

/** Index of the entry to which End, Home and the page keys lead; undefined: another key. */
function farIndex({ key, currentTarget }: React.KeyboardEvent, row: RowElement, lastIndex: number): number | undefined {
  const page = Math.max(1, Math.floor(currentTarget.clientHeight / row.element.offsetHeight) - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return lastIndex;
  if (key === 'PageDown') return Math.min(row.index + page, lastIndex);
  if (key === 'PageUp') return Math.max(row.index - page, 0);
  return undefined;
}
