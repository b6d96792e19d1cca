import type { Query } from '../../search/query.js';
import type { EntryRevision } from '../../search/search-index.port.js';
import { allOf, type Filter } from './compile-query.js';
import { type IndexSnapshot, maxWindow, type Order } from './search-requests.js';

/** A page of entries in creation order, with the exact number of matches. */
export interface FoundPage {
  readonly count: number;
  readonly hits: readonly EntryRevision[];
}

/** Finds a page of matching documents in creation order, at any distance from the first match. */
export async function findPage(
  snapshot: IndexSnapshot,
  filter: Filter,
  order: Order,
  { from, size }: Pick<Query, 'from' | 'size'>,
): Promise<FoundPage> {
  if (from + size <= maxWindow) return snapshot.search({ filter, order, from, size });
  const count = await snapshot.count(filter);
  if (from >= count || size === 0) return { count, hits: [] };
  // A page near the end is near the beginning of the reverse order.
  const fromEnd = Math.max(0, count - from - size);
  if (fromEnd + size <= maxWindow) {
    const opposite = order === 'newest' ? 'oldest' : 'newest';
    const wanted = Math.min(size, count - from);
    const { hits } = await snapshot.search({ filter, order: opposite, from: fromEnd, size: wanted });
    return { count, hits: hits.toReversed() };
  }
  const start = await skip(snapshot, filter, order, from, ['created', 'id']);
  const { hits } = await snapshot.search({ filter: start.filter, order, from: start.left, size });
  return { count, hits };
}

interface Rest {
  readonly filter: Filter;
  /** Number of documents still to be skipped. */
  readonly left: number;
}

/** Skips documents by bounding the sort fields, one after the other, until a request can reach the page. */
async function skip(
  snapshot: IndexSnapshot,
  filter: Filter,
  order: Order,
  from: number,
  [field = '', ...more]: readonly string[],
): Promise<Rest> {
  const sign = order === 'newest' ? -1 : 1;
  const before = (bound: number): Filter =>
    both(filter, { range: { [field]: sign > 0 ? { lt: bound } : { gt: bound } } });
  const { low, high } = await boundsOf(snapshot, filter, field);
  // Distances from the value of the first document: `near` is at or before the wanted document, `far` is after it.
  let [near, far] = [0, high - low + 1];
  let skipped = 0;
  const boundAt = (distance: number) => (sign > 0 ? low + distance : high - distance);
  const room = maxWindow / 2;
  while (far - near > 1 && from - skipped > room) {
    const middle = near + Math.floor((far - near) / 2);
    const count = await snapshot.count(before(boundAt(middle)));
    if (count <= from) [near, skipped] = [middle, count];
    else far = middle;
  }
  const bound = boundAt(near);
  const rest = both(filter, { range: { [field]: sign > 0 ? { gte: bound } : { lte: bound } } });
  const left = from - skipped;
  if (left <= room || more.length === 0) return { filter: rest, left };
  // Many documents have the same time: the page may begin among them and continue after them.
  const same = both(filter, { term: { [field]: bound } });
  const inSame = await skip(snapshot, same, order, left, more);
  return {
    filter: anyOfTwo(inSame.filter, both(filter, { range: { [field]: sign > 0 ? { gt: bound } : { lt: bound } } })),
    left: inSame.left,
  };
}

async function boundsOf(
  snapshot: IndexSnapshot,
  filter: Filter,
  field: string,
): Promise<{ low: number; high: number }> {
  const aggregations = { low: { min: { field } }, high: { max: { field } } };
  const { aggregations: found } = await snapshot.search({ filter, aggregations });
  return { low: found.low?.value ?? 0, high: found.high?.value ?? 0 };
}

function both(one: Filter, other: Filter): Filter {
  return { bool: { filter: [one, other] } };
}

function anyOfTwo(one: Filter, other: Filter): Filter {
  return { bool: { should: [one, other], minimum_should_match: 1 } };
}

/** Returns the highest id of an entry that the user may see; 0 if there is none. */
export async function newestId(snapshot: IndexSnapshot, query: Query): Promise<number> {
  const newest = { newest: { max: { field: 'id' } } };
  const { aggregations } = await snapshot.search({ filter: allOf([], query), aggregations: newest });
  return aggregations.newest?.value ?? 0;
}
