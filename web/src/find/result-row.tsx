import { useJustSent } from '../drafts/sent-entries.ts';
import { LastVisitLine } from '../shifts/last-visit-line.tsx';
import { useLastVisit } from '../shifts/use-last-visit.ts';
import { DayHeading } from './day-line.tsx';
import { EntryRow } from './entry-row.tsx';
import { type FindSearch, isByDay } from './find-search.ts';
import { FoldRow } from './fold-row.tsx';
import { type GroupUnit, startsGroup } from './group-unit.ts';
import { RowCheck } from './row-check.tsx';
import type { Selection } from './selection.ts';
import { ThreadRows } from './thread-rows.tsx';
import type { Folds } from './use-folds.ts';
import type { Results } from './use-results.ts';

export interface ListedRows {
  readonly search: FindSearch;
  readonly results: Results;
  readonly unit: GroupUnit;
  readonly unfolded: ReadonlySet<string>;
  readonly folds: Folds;
}

interface RowProps extends ListedRows {
  readonly index: number;
  readonly openId: number | undefined;
  readonly openPosition: number;
  readonly selection: Selection;
  readonly arrivedAfterId: number | undefined;
  readonly hrefOf: (id: number) => string;
  readonly stopId: number | undefined;
}

/** A hit with the heading of its day or month above it, and its unfolded replies below. */
export function ResultRow(props: RowProps) {
  const {
    index,
    unit,
    search,
    results,
    openId,
    openPosition,
    unfolded,
    folds,
    selection,
    arrivedAfterId,
    hrefOf,
    stopId,
  } = props;
  const visit = useLastVisit();
  const justSent = useJustSent();
  const hit = results.hitAt(index);
  if (!hit) return <RowSkeleton seed={index} />;
  const before = results.hitAt(index - 1);
  const thread = (hit.thread?.size ?? 0) > 1 ? hit.thread : undefined;
  const isUnfolded = thread ? unfolded.has(thread.id) : undefined;
  const place = [
    'entry-place',
    ...(selection.hits.has(hit.id) ? ['chosen'] : []),
    ...(arrivedAfterId !== undefined && hit.id > arrivedAfterId ? ['arrived'] : []),
  ];
  return (
    <>
      {hasHeading(props, index) && <DayHeading search={search} unit={unit} ms={hit.createdDate} />}
      {search.sort === undefined && visit.isFirstRead(hit, before) && <LastVisitLine atMs={visit.readUpToMs} />}
      <FoldOf {...props} />
      {!folds.isHidden(index) && (
        <div className={place.join(' ')}>
          <EntryRow
            hit={hit}
            href={hrefOf(hit.id)}
            isOpen={isUnfolded ? hit.id === openId : index === openPosition}
            isUnfolded={isUnfolded}
            isUnread={visit.isUnread(hit)}
            isJustSent={justSent.has(hit.id)}
            query={search.query}
            withDay={!isByDay(search) || unit === 'month'}
            isStop={hit.id === stopId}
          />
          {selection.isOffered && <RowCheck hit={hit} index={index} selection={selection} isStop={hit.id === stopId} />}
        </div>
      )}
      {thread && isUnfolded && <ThreadRows thread={thread} of={hit.id} {...{ openId, stopId, hrefOf }} />}
    </>
  );
}

/** The row that stands for the automatic entries that begin with this one. */
function FoldOf({ index, folds, results, unit, stopId }: RowProps) {
  const fold = folds.at(index);
  const [first, last] = [results.hitAt(index), fold && results.hitAt(fold.last)];
  if (fold?.first !== index || !first || !last) return null;
  const { isUnfolded } = fold;
  return (
    <FoldRow
      hits={[first, last]}
      count={fold.last - index + 1}
      isUnfolded={isUnfolded}
      withDay={unit === 'month'}
      isStop={!isUnfolded && first.id === stopId}
    />
  );
}

/** Whether the heading of a day or month is above the entry. */
export function hasHeading({ search, results, unit }: Pick<ListedRows, 'search' | 'results' | 'unit'>, index: number) {
  return isByDay(search) && startsGroup(results.hitAt(index), results.hitAt(index - 1), unit);
}

/** Placeholder of an entry that is being fetched. Widths vary, like those of titles. */
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
