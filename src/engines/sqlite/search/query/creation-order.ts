import type { Connection } from '../../database/connection.js';
import {
  and,
  andNot,
  type Container,
  chunkOf,
  chunkSize,
  count,
  empty,
  has,
  idOf,
  lowsOf,
  or,
  rangeOf,
  toContainer,
} from '../index/containers.js';

/** A set of entries, as one container for each chunk. */
export interface EntrySet {
  readonly chunks: readonly Container[];
  readonly count: number;
}

/** A row of the table `late_entry`. */
interface BackdatedEntry {
  readonly id: number;
  readonly created_ms: number;
  /** The id of the entry in order that precedes it by creation; 0 when there is none. */
  readonly place: number;
}

/**
 * The order of entries by creation. It is the order of ids, except for backdated entries: those stored after others
 * with a later date. There are few of them, unless old entries were imported.
 */
export class CreationOrder {
  /** In the order of creation. */
  private backdated: BackdatedEntry[] = [];
  private backdatedChunks: readonly Container[] = [];

  constructor(private readonly documents: Connection) {}

  /** Must be called at the start of each transaction. */
  refresh(): void {
    const { entries } = this.documents.get<{ entries: number }>(
      'SELECT coalesce(max(number), 0) AS entries FROM late_entry',
    ) ?? { entries: 0 };
    // Rows are never changed or removed, so that only new ones are read.
    if (entries === this.backdated.length) return;
    const added = this.documents.all<BackdatedEntry & Record<string, unknown>>(
      'SELECT id, created_ms, place FROM late_entry WHERE number > ?',
      this.backdated.length,
    );
    this.backdated = [...this.backdated, ...added].sort(
      (one, other) => one.created_ms - other.created_ms || one.id - other.id,
    );
    this.backdatedChunks = entrySetFromIds(this.backdated.map(({ id }) => id)).chunks;
  }

  /** Returns a set of ids, by chunk, that contains the entries created in a window, both ends included, and no others. */
  createdIn(startMs: number, endMs: number): (chunk: number) => Container {
    const first = this.documents.get<{ id: number }>(
      'SELECT id FROM entry WHERE in_order = 1 AND created_ms >= ? ORDER BY created_ms, id LIMIT 1',
      startMs,
    )?.id;
    const last = this.documents.get<{ id: number }>(
      'SELECT id FROM entry WHERE in_order = 1 AND created_ms <= ? ORDER BY created_ms DESC, id DESC LIMIT 1',
      endMs,
    )?.id;
    const backdated = entrySetFromIds(
      this.backdated.filter(({ created_ms }) => created_ms >= startMs && created_ms <= endMs).map(({ id }) => id),
    ).chunks;
    return (chunk) => {
      const backdatedHere = backdated[chunk] ?? empty;
      if (first === undefined || last === undefined || chunk < chunkOf(first) || chunk > chunkOf(last))
        return backdatedHere;
      const inOrder = rangeOf(
        chunk === chunkOf(first) ? first % chunkSize : 0,
        chunk === chunkOf(last) ? last % chunkSize : chunkSize - 1,
      );
      return or([andNot(inOrder, this.backdatedChunks[chunk] ?? empty), backdatedHere]);
    };
  }

  /** Returns the ids of a page of the entries. */
  page(entries: EntrySet, sort: 'newest' | 'oldest', from: number, size: number): number[] {
    if (from >= entries.count || size === 0) return [];
    const backdated = this.backdated.filter(({ id }) => contains(entries, id));
    if (backdated.length === 0) return slicePage(entries.chunks, sort, from, size);
    const inOrder = entries.chunks.map((container, chunk) => andNot(container, this.backdatedChunks[chunk] ?? empty));
    return mergePage(inOrder, backdated, sort, from, size);
  }

  /** Counts the entries created in each of the intervals that begin at these times. The last interval has no end. */
  countsFrom(entries: EntrySet, startsMs: readonly number[]): number[] {
    return startsMs.map((startMs, at) => {
      const created = this.createdIn(startMs, (startsMs[at + 1] ?? Number.MAX_SAFE_INTEGER) - 1);
      return entries.chunks.reduce((sum, container, chunk) => sum + countCommon(container, created(chunk)), 0);
    });
  }
}

export function toEntrySet(chunks: readonly Container[]): EntrySet {
  return { chunks, count: chunks.reduce((sum, container) => sum + count(container), 0) };
}

function contains({ chunks }: Pick<EntrySet, 'chunks'>, id: number): boolean {
  return has(chunks[chunkOf(id)] ?? empty, id % chunkSize);
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

function slicePage(chunks: readonly Container[], sort: 'newest' | 'oldest', from: number, size: number): number[] {
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

/** Merges the entries in order with the backdated ones and returns a page of them. */
function mergePage(
  inOrder: readonly Container[],
  backdated: readonly BackdatedEntry[],
  sort: 'newest' | 'oldest',
  from: number,
  size: number,
): number[] {
  const newest = sort === 'newest';
  const backdatedInOrder = newest ? [...backdated].reverse() : backdated;
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
      for (; next < backdatedInOrder.length; next++) {
        const one = backdatedInOrder[next] as BackdatedEntry;
        // A backdated entry comes directly after the entry that is its place.
        if (newest ? one.place < id : one.place >= id) break;
        take(one.id);
      }
      take(id);
      if (page.length >= size) return page.slice(0, size);
    }
  }
  for (; next < backdatedInOrder.length && page.length < size; next++)
    take((backdatedInOrder[next] as BackdatedEntry).id);
  return page.slice(0, size);
}

function countCommon(one: Container, other: Container): number {
  return one.length === 0 || other.length === 0 ? 0 : count(and(one, other));
}
