import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLastVisit } from '../shifts/use-last-visit.ts';
import { type Fold, foldAt } from './automatic-folds.ts';
import { type FindSearch, isByDay } from './find-search.ts';
import { type GroupUnit, startsGroup } from './group-unit.ts';
import { pageSize } from './search-queries.ts';
import type { Results } from './use-results.ts';

/** The automatic entries that are folded in the list. In a search, none are folded: every match is visible. */
export interface Folds {
  /** The fold to which the entry at the position belongs, open or not. */
  readonly at: (index: number) => (Fold & { readonly isUnfolded: boolean }) | undefined;
  /** Whether the entry at the position has no row of its own. A closed fold has one row, at its first entry. */
  readonly isHidden: (index: number) => boolean;
  /** Unfolds the entries around the position, or folds them. */
  readonly unfold: (index: number, isUnfolded: boolean) => void;
}

interface FoldsDeps {
  readonly search: FindSearch;
  readonly results: Results;
  readonly unit: GroupUnit;
  readonly openPosition: number;
}

export function useFolds({ search, results: { hitAt }, unit, openPosition }: FoldsDeps): Folds {
  const visit = useLastVisit();
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const isOffered = search.query === undefined && isByDay(search);
  const find = useMemo(() => {
    const known = new Map<number, Fold>();
    const starts = (index: number) => {
      const [hit, before] = [hitAt(index), hitAt(index - 1)];
      return startsGroup(hit, before, unit) || (hit !== undefined && visit.isFirstRead(hit, before));
    };
    return (index: number): Fold | undefined => {
      if (!isOffered || known.has(index)) return known.get(index);
      const fold = foldAt({ hitAt, pageSize, startsGroup: starts }, index);
      for (let at = fold?.first ?? 0; fold && at <= fold.last; at += 1) known.set(at, fold);
      return fold;
    };
  }, [hitAt, unit, visit, isOffered]);
  const at = useCallback(
    (index: number) => {
      const fold = find(index);
      return fold && { ...fold, isUnfolded: unfolded.size > 0 && idsOf(fold, hitAt).some((id) => unfolded.has(id)) };
    },
    [find, hitAt, unfolded],
  );
  const unfold = useCallback(
    (index: number, isUnfolded: boolean) => {
      const fold = find(index);
      if (!fold) return;
      const ids = idsOf(fold, hitAt);
      setUnfolded((known) => new Set(isUnfolded ? [...known, ...ids] : [...known].filter((id) => !ids.includes(id))));
    },
    [find, hitAt],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open entry may be folded afterwards
  useEffect(() => unfold(openPosition, true), [openPosition]);
  return useMemo(() => ({ at, isHidden: (index) => at(index)?.isUnfolded === false, unfold }), [at, unfold]);
}

function idsOf({ first, last }: Fold, hitAt: Results['hitAt']): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => hitAt(first + at)?.id ?? 0);
}

/**
 * Returns the position to which a step from another position leads. If the entry there is folded, the step leads to its
 * fold or, if it began in this fold and goes down, to the entry after the fold.
 */
export function shownPosition({ at }: Folds, index: number, from: number): number {
  const fold = at(index);
  if (!fold || fold.isUnfolded) return index;
  return fold.first <= from && from < index ? fold.last + 1 : fold.first;
}
