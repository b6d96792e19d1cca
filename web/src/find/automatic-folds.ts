import type { Hit } from '../api/types.ts';
import { levelLook } from '../components/level.tsx';

/** Minimum number of consecutive entries that are folded. */
const fewestFolded = 3;

/** Positions of the first and the last of consecutive automatic entries in the list. */
export interface Fold {
  readonly first: number;
  readonly last: number;
}

/** The list in which entries are folded. */
export interface FoldDeps {
  readonly hitAt: (index: number) => Hit | undefined;
  /** Number of entries that are fetched together. A fold ends with its page, so that few pages are read. */
  readonly pageSize: number;
  /** Whether the entry is the first of another day or month than the one above it. */
  readonly startsGroup: (index: number) => boolean;
}

/** Whether an entry may be folded: it has no reply, is not severe, and does not grow. */
function isFoldable(hit: Hit | undefined): boolean {
  if (!hit?.automatic || (hit.thread?.size ?? 1) > 1 || hit.run?.status === 'running') return false;
  return !['urgent', 'problem'].includes(levelLook(hit.level));
}

/** Returns the fold that contains the entry at the position; undefined when the entry has its own row. */
export function foldAt(deps: FoldDeps, index: number): Fold | undefined {
  const { hitAt, pageSize, startsGroup } = deps;
  if (!isFoldable(hitAt(index))) return undefined;
  const isFirst = (at: number) => at % pageSize === 0 || startsGroup(at) || !isFoldable(hitAt(at - 1));
  let [first, last] = [index, index];
  while (!isFirst(first)) first -= 1;
  while (isFoldable(hitAt(last + 1)) && !isFirst(last + 1)) last += 1;
  return last - first + 1 < fewestFolded ? undefined : { first, last };
}
