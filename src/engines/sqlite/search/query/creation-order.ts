import type { Connection } from '../../database/connection.js';
import {
  and,
  andNot,
  type Container,
  chunkOf,
  chunkSize,
  containerOf,
  count,
  empty,
  has,
  idOf,
  lowsOf,
  or,
  rangeOf,
} from '../index/containers.js';

/** Entries of a search, as a container for each chunk. */
export interface EntrySet {
  readonly chunks: readonly Container[];
  readonly count: number;
}

interface LateEntry {
  readonly id: number;
  readonly created_ms: number;
  /** The entry in order after which it comes; 0: before all. */
  readonly place: number;
}

/**
 * The order of entries by creation. Ids follow it, but for entries that were late: stored after others that are newer
 * by their date. There are few of them, unless old entries were imported.
 */
export class CreationOrder {
  /** By creation. */
  private late: LateEntry[] = [];
  private lateChunks: readonly Container[] = [];

  constructor(private readonly documents: Connection) {}

  /** To be called at the start of each transaction. */
  refresh(): void {
    const { entries } = this.documents.get<{ entries: number }>(
      'SELECT coalesce(max(number), 0) AS entries FROM late_entry',
    ) ?? { entries: 0 };
    // None is ever changed or removed.
    if (entries === this.late.length) return;
    const added = this.documents.all<LateEntry & Record<string, unknown>>(
      'SELECT id, created_ms, place FROM late_entry WHERE number > ?',
      this.late.length,
    );
    this.late = [...this.late, ...added].sort((one, other) => one.created_ms - other.created_ms || one.id - other.id);
    this.lateChunks = setOf(this.late.map(({ id }) => id)).chunks;
  }

  /** The ids in which all entries lie that were created in a window, both ends included, and no other entries. */
  createdIn(startMs: number, endMs: number): (chunk: number) => Container {
    const first = this.documents.get<{ id: number }>(
      'SELECT id FROM entry WHERE in_order = 1 AND created_ms >= ? ORDER BY created_ms, id LIMIT 1',
      startMs,
    )?.id;
    const last = this.documents.get<{ id: number }>(
      'SELECT id FROM entry WHERE in_order = 1 AND created_ms <= ? ORDER BY created_ms DESC, id DESC LIMIT 1',
      endMs,
    )?.id;
    const late = setOf(
      this.late.filter(({ created_ms }) => created_ms >= startMs && created_ms <= endMs).map(({ id }) => id),
    ).chunks;
    return (chunk) => {
      const lateHere = late[chunk] ?? empty;
      if (first === undefined || last === undefined || chunk < chunkOf(first) || chunk > chunkOf(last)) return lateHere;
      const inOrder = rangeOf(
        chunk === chunkOf(first) ? first % chunkSize : 0,
        chunk === chunkOf(last) ? last % chunkSize : chunkSize - 1,
      );
      return or([andNot(inOrder, this.lateChunks[chunk] ?? empty), lateHere]);
    };
  }

  /** A page of the entries. */
  page(entries: EntrySet, sort: 'newest' | 'oldest', from: number, size: number): number[] {
    if (from >= entries.count || size === 0) return [];
    const late = this.late.filter(({ id }) => contains(entries, id));
    if (late.length === 0) return pageOf(entries.chunks, sort, from, size);
    const inOrder = entries.chunks.map((container, chunk) => andNot(container, this.lateChunks[chunk] ?? empty));
    return mergedPage(inOrder, late, sort, from, size);
  }

  /** How many of the entries were created in each of the stretches that begin at these times, the last being open. */
  countsFrom(entries: EntrySet, startsMs: readonly number[]): number[] {
    return startsMs.map((startMs, at) => {
      const created = this.createdIn(startMs, (startsMs[at + 1] ?? Number.MAX_SAFE_INTEGER) - 1);
      return entries.chunks.reduce((sum, container, chunk) => sum + countOfBoth(container, created(chunk)), 0);
    });
  }
}

export function entrySetOf(chunks: readonly Container[]): EntrySet {
  return { chunks, count: chunks.reduce((sum, container) => sum + count(container), 0) };
}

function contains({ chunks }: Pick<EntrySet, 'chunks'>, id: number): boolean {
  return has(chunks[chunkOf(id)] ?? empty, id % chunkSize);
}

/** @param ids each once */
export function setOf(ids: readonly number[]): EntrySet {
  const lows: number[][] = [];
  for (const id of ids) {
    lows[chunkOf(id)] ??= [];
    lows[chunkOf(id)]?.push(id % chunkSize);
  }
  const chunks = Array.from(lows, (list) => (list ? containerOf(list.sort((one, other) => one - other)) : empty));
  return { chunks, count: ids.length };
}

function pageOf(chunks: readonly Container[], sort: 'newest' | 'oldest', from: number, size: number): number[] {
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

/** Entries in order and late ones, each by its place among the others. */
function mergedPage(
  inOrder: readonly Container[],
  late: readonly LateEntry[],
  sort: 'newest' | 'oldest',
  from: number,
  size: number,
): number[] {
  const newest = sort === 'newest';
  const lateInTurn = newest ? [...late].reverse() : late;
  const page: number[] = [];
  let skip = from;
  let next = 0;
  const take = (id: number) => {
    if (skip > 0) skip -= 1;
    else page.push(id);
  };
  for (const chunk of newest ? [...inOrder.keys()].reverse() : inOrder.keys()) {
    const lows = lowsOf(inOrder[chunk] ?? empty);
    for (let at = 0; at < lows.length; at++) {
      const id = idOf(chunk, lows[newest ? lows.length - 1 - at : at] as number);
      for (; next < lateInTurn.length; next++) {
        const one = lateInTurn[next] as LateEntry;
        // An entry comes after the one that is its place.
        if (newest ? one.place < id : one.place >= id) break;
        take(one.id);
      }
      take(id);
      if (page.length >= size) return page.slice(0, size);
    }
  }
  for (; next < lateInTurn.length && page.length < size; next++) take((lateInTurn[next] as LateEntry).id);
  return page.slice(0, size);
}

function countOfBoth(one: Container, other: Container): number {
  return one.length === 0 || other.length === 0 ? 0 : count(and(one, other));
}
