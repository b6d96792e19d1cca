import type { TimeWindow } from '../../../../search/query.js';
import { kinds } from '../../../search-terms.js';
import { and, empty, or } from '../index/containers.js';
import { splitWindow } from '../index/event-buckets.js';
import type { Condition } from './conditions.js';
import { entrySetFromIds } from './entry-set.js';
import type { IndexReader } from './index-reader.js';

/**
 * Returns the condition for entries that were created in a time window or, if it includes events, have an event in it.
 * @param existing condition that all entries meet
 */
export function windowCondition(
  { index, postings, dictionary, order }: IndexReader,
  { startMs = Number.MIN_SAFE_INTEGER, endMs = Number.MAX_SAFE_INTEGER, includeEvents }: TimeWindow,
  existing: Condition,
  checkTime: () => void,
): Condition {
  const inWindow = order.createdIn(startMs, endMs);
  const created = (chunk: number) => and(inWindow(chunk), existing.idsIn(chunk));
  const isIn = (ms: number) => ms >= startMs && ms <= endMs;
  // Size 0 puts the window before all other conditions, because it excludes whole chunks.
  if (!includeEvents) return { size: () => 0, idsIn: created, matches: ({ entry }) => isIn(entry.view.createdDate) };
  const bounds = index.get<{ first: number | null; last: number | null }>(
    'SELECT (SELECT min(instant_ms) FROM event) AS first, (SELECT max(instant_ms) FROM event) AS last',
  );
  const { buckets, edges } = splitWindow(
    Math.max(startMs, bounds?.first ?? 0),
    Math.min(endMs, bounds?.last ?? -1),
    () => dictionary.list(kinds.event).map(({ name }) => name),
  );
  const inBuckets = postings.union(
    buckets.flatMap((name) => dictionary.find(kinds.event, name)?.id ?? []),
    [0],
    checkTime,
  );
  const atEdges = edges.flatMap(([from, to]) =>
    index
      .all<{ entry_id: number }>('SELECT entry_id FROM event WHERE instant_ms BETWEEN ? AND ?', from, to)
      .map((row) => row.entry_id),
  );
  const atEdgesByChunk = entrySetFromIds([...new Set(atEdges)]).chunks;
  return {
    size: () => 0,
    idsIn: (chunk) => or([created(chunk), inBuckets.chunks.get(chunk) ?? empty, atEdgesByChunk[chunk] ?? empty]),
    matches: ({ entry: { view } }) => isIn(view.createdDate) || view.events.some(({ instant }) => isIn(instant)),
  };
}
