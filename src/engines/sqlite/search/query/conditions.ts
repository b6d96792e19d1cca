import { and, type Container, empty } from '../index/containers.js';
import type { PostingList } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** What must hold for an entry. */
export interface Condition {
  /** At most so many entries meet it: the fewest are looked at first. */
  size(): number;
  /** The entries of a chunk that meet it, as the index knows them. */
  among(chunk: number): Container;
  /** Those of some entries of a chunk that meet it, where that is less work than finding all. */
  narrow?(chunk: number, entries: Container): Container;
  /** Whether an entry meets it that the index does not know as it is now. */
  holds(entry: UnindexedEntry): boolean;
}

/** What is read of the index when it is first asked for: when all parts of a search are known to be within bounds. */
export function listCondition(read: () => PostingList): Pick<Condition, 'size' | 'among'> {
  let list: PostingList | undefined;
  const known = () => (list ??= read());
  return { size: () => known().entries, among: (chunk) => known().chunks.get(chunk) ?? empty };
}

/** The entries for which all of the conditions hold, none of them empty. */
export function allOf(conditions: readonly Condition[]): Condition {
  const inOrder = [...conditions].sort(
    (one, other) => Number(one.narrow !== undefined) - Number(other.narrow !== undefined) || one.size() - other.size(),
  );
  const [first, ...more] = inOrder;
  if (!first) throw new Error('no condition given');
  return {
    size: () => Math.min(...conditions.map((condition) => condition.size())),
    among(chunk) {
      let entries = first.among(chunk);
      for (const next of more) {
        if (entries.length === 0) break;
        entries = next.narrow ? next.narrow(chunk, entries) : and(entries, next.among(chunk));
      }
      return entries;
    },
    holds: (entry) => conditions.every((condition) => condition.holds(entry)),
  };
}

/** The entries of a chunk that are in every list and among the given ones. */
export function inAll(lists: readonly PostingList[], chunk: number, entries?: Container): Container {
  const containers = lists.map((list) => list.chunks.get(chunk) ?? empty);
  if (entries) containers.push(entries);
  containers.sort((one, other) => one.length - other.length);
  return containers.reduce((both, container) => (both.length === 0 ? both : and(both, container)));
}

/** Where words stand one after the other among others. */
export function startsOfRun(words: readonly string[], run: readonly string[]): number[] {
  const starts: number[] = [];
  for (let start = words.indexOf(run[0] as string); start >= 0; start = words.indexOf(run[0] as string, start + 1)) {
    if (run.every((word, offset) => words[start + offset] === word)) starts.push(start);
  }
  return starts;
}
