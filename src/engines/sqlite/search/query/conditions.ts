import { and, type Container, empty, or } from '../index/containers.js';
import { idRange } from './entry-set.js';
import type { PostingList } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';

export interface Condition {
  /** Returns an upper bound of the number of matches. Conditions with fewer matches are evaluated first. */
  size(): number;
  /** Returns the matching indexed entries of a chunk. */
  idsIn(chunk: number): Container;
  /** Returns the matching entries among `entries`, in the same chunk. Present where this is cheaper than `idsIn`. */
  filter?(chunk: number, entries: Container): Container;
  /** Returns whether an entry whose current version is not indexed matches. */
  matches(entry: UnindexedEntry): boolean;
}

/**
 * Returns a condition whose list is read from the index when it is first needed, by which time all parts of the search
 * are known to be within limits.
 */
export function listCondition(read: () => PostingList): Pick<Condition, 'size' | 'idsIn'> {
  let list: PostingList | undefined;
  const known = () => (list ??= read());
  return { size: () => known().entries, idsIn: (chunk) => known().chunks.get(chunk) ?? empty };
}

/**
 * Returns the condition that all of `conditions` are met.
 * @throws Error when `conditions` is empty
 */
export function allOf(conditions: readonly Condition[]): Condition {
  const inOrder = [...conditions].sort(
    (one, other) => Number(one.filter !== undefined) - Number(other.filter !== undefined) || one.size() - other.size(),
  );
  const [first, ...more] = inOrder;
  if (!first) throw new Error('no condition given');
  return {
    size: () => Math.min(...conditions.map((condition) => condition.size())),
    idsIn(chunk) {
      let entries = first.idsIn(chunk);
      for (const next of more) {
        if (entries.length === 0) break;
        entries = next.filter ? next.filter(chunk, entries) : and(entries, next.idsIn(chunk));
      }
      return entries;
    },
    matches: (entry) => conditions.every((condition) => condition.matches(entry)),
  };
}

export function createdAfter(id: number): Condition {
  return {
    size: () => Number.POSITIVE_INFINITY,
    idsIn: (chunk) => idRange(id + 1, Number.MAX_SAFE_INTEGER, chunk),
    matches: ({ entry }) => entry.id > id,
  };
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return {
    size: () => conditions.reduce((sum, condition) => sum + condition.size(), 0),
    idsIn: (chunk) => or(conditions.map((condition) => condition.idsIn(chunk))),
    matches: (entry) => conditions.some((condition) => condition.matches(entry)),
  };
}

/** Returns the entries of a chunk that are in every list and, if given, in `entries`. */
export function intersect(lists: readonly PostingList[], chunk: number, entries?: Container): Container {
  const containers = lists.map((list) => list.chunks.get(chunk) ?? empty);
  if (entries) containers.push(entries);
  containers.sort((one, other) => one.length - other.length);
  return containers.reduce((both, container) => (both.length === 0 ? both : and(both, container)));
}

export function phrasePositions(words: readonly string[], phrase: readonly string[]): number[] {
  const positions: number[] = [];
  const first = phrase[0] as string;
  for (let at = words.indexOf(first); at >= 0; at = words.indexOf(first, at + 1)) {
    if (phrase.every((word, offset) => words[at + offset] === word)) positions.push(at);
  }
  return positions;
}
