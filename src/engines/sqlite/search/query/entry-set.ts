import {
  and,
  type Container,
  chunkOf,
  chunkSize,
  count,
  empty,
  has,
  idOf,
  lowsOf,
  rangeOf,
  toContainer,
} from '../index/containers.js';

/** A set of entries, with one container per chunk. */
export interface EntrySet {
  readonly chunks: readonly Container[];
  readonly count: number;
}

export function toEntrySet(chunks: readonly Container[]): EntrySet {
  return { chunks, count: chunks.reduce((sum, container) => sum + count(container), 0) };
}

/** Returns the ids of a chunk from `first` to `last`, both included. */
export function idRange(first: number, last: number, chunk: number): Container {
  if (chunk < chunkOf(first) || chunk > chunkOf(last)) return empty;
  return rangeOf(
    chunk === chunkOf(first) ? first % chunkSize : 0,
    chunk === chunkOf(last) ? last % chunkSize : chunkSize - 1,
  );
}

/** Returns the number of entries with a lower id; if `id` is undefined, the number of all entries. */
export function countBelow(set: EntrySet, id: number | undefined): number {
  if (id === undefined) return set.count;
  let below = 0;
  for (let chunk = 0; chunk <= chunkOf(id) && chunk < set.chunks.length; chunk++) {
    const container = set.chunks[chunk] ?? empty;
    below += chunk < chunkOf(id) ? count(container) : countCommon(container, idRange(0, id - 1, chunk));
  }
  return below;
}

export function contains({ chunks }: Pick<EntrySet, 'chunks'>, id: number): boolean {
  return has(chunks[chunkOf(id)] ?? empty, id % chunkSize);
}

export function listIds({ chunks }: Pick<EntrySet, 'chunks'>): number[] {
  return chunks.flatMap((container, chunk) => Array.from(lowsOf(container), (low) => idOf(chunk, low)));
}

/** @param ids in any order, without duplicates */
export function entrySetFromIds(ids: readonly number[]): EntrySet {
  const lows: number[][] = [];
  for (const id of ids) {
    lows[chunkOf(id)] ??= [];
    lows[chunkOf(id)]?.push(id % chunkSize);
  }
  const chunks = Array.from(lows, (list) => (list ? toContainer(list.sort((one, other) => one - other)) : empty));
  return { chunks, count: ids.length };
}

export function slicePage(
  chunks: readonly Container[],
  sort: 'newest' | 'oldest',
  from: number,
  size: number,
): number[] {
  const page: number[] = [];
  let skip = from;
  const order = sort === 'newest' ? [...chunks.keys()].reverse() : chunks.keys();
  for (const chunk of order) {
    const container = chunks[chunk] ?? empty;
    const entries = count(container);
    if (skip >= entries) {
      skip -= entries;
      continue;
    }
    const lows = lowsOf(container);
    for (let at = skip; at < entries && page.length < size; at++) {
      page.push(idOf(chunk, lows[sort === 'newest' ? entries - 1 - at : at] as number));
    }
    skip = 0;
    if (page.length === size) break;
  }
  return page;
}

function countCommon(one: Container, other: Container): number {
  return one.length === 0 || other.length === 0 ? 0 : count(and(one, other));
}
