import { LRUCache } from 'lru-cache';
import type { Connection } from '../../database/connection.js';
import { bitmapBytes, type Container, ContainerUnion, count, decode, empty, or } from '../index/containers.js';
import { chunkOfKey, chunkOfPosting, listsOfTerms, postingKey } from '../index/index-database.js';

/** Entries that contain a term, or any of several terms. */
export interface PostingList {
  /** Number of entries; for a union, an upper bound. */
  readonly entries: number;
  /** Containers by chunk; chunks without entries are omitted. */
  readonly chunks: ReadonlyMap<number, Container>;
}

interface StoredLists {
  readonly chunk: number;
  readonly entries: number;
  readonly ids: Uint8Array;
}

interface CachedList {
  readonly generation: number;
  readonly list: PostingList;
}

/** Size of the cache of each search worker. */
const maxCachedBytes = 64 * 1_048_576;
/** Estimated memory of a list in addition to its containers. */
const listOverheadBytes = 200;
/** Minimum number of terms whose lists bypass the cache. */
const manyTerms = 64;
/** Number of terms whose lists are read at a time, bypassing the cache. */
const termsPerRead = 256;
const lastChunk = 4_095;

/** Reads the posting lists of the index, within the caller's transaction. */
export class Postings {
  private readonly cache = new LRUCache<number, CachedList>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ list }) => sizeOf(list),
  });
  private generation = 0;
  chunks = 0;

  constructor(private readonly connection: Connection) {}

  /** Must be called at the start of each transaction that sees a new generation of the index. */
  refresh(generation: number): void {
    this.generation = generation;
    this.chunks =
      this.connection.get<{ chunks: number }>('SELECT coalesce(max(chunk) + 1, 0) AS chunks FROM chunk')?.chunks ?? 0;
  }

  list(termId: number, field: number): PostingList {
    const key = postingKey(termId, field, 0);
    const cached = this.cache.get(key);
    if (cached?.generation === this.generation) return cached.list;
    const list = cached ? this.update(key, cached) : this.read(key, 0, lastChunk);
    this.cache.set(key, { generation: this.generation, list });
    return list;
  }

  union(termIds: readonly number[], fields: readonly number[], checkTime: () => void): PostingList {
    if (termIds.length < manyTerms) {
      return unionOf(termIds.flatMap((id) => fields.map((field) => this.list(id, field))));
    }
    const unions = new Map<number, ContainerUnion>();
    const unionOfChunk = (chunk: number) => {
      const known = unions.get(chunk);
      if (known) return known;
      const union = new ContainerUnion();
      unions.set(chunk, union);
      return union;
    };
    let entries = 0;
    const mask = fields.reduce((bits, field) => bits | (1 << field), 0);
    // The lists of neighbouring terms are stored next to each other.
    const inOrder = Float64Array.from(termIds).sort();
    for (let at = 0; at < inOrder.length; at += termsPerRead) {
      checkTime();
      const terms = JSON.stringify([...inOrder.subarray(at, at + termsPerRead)]);
      for (const { chunk, entries: more, ids } of this.arraysOf(terms, mask)) {
        unionOfChunk(chunk).addArrays(ids);
        entries += more;
      }
      for (const { chunk, entries: more, ids } of this.bitmapsOf(terms, mask)) {
        unionOfChunk(chunk).addBitmap(ids);
        entries += more;
      }
    }
    return { entries, chunks: new Map(Array.from(unions, ([chunk, union]) => [chunk, union.toContainer()])) };
  }

  /**
   * Returns the concatenated arrays of each chunk. Returning a row for each of many short lists would cost far more
   * than reading the lists.
   */
  private arraysOf(terms: string, fieldMask: number): StoredLists[] {
    return this.connection.all(
      `SELECT ${chunkOfPosting} AS chunk, sum(entries) AS entries, CAST(group_concat(ids, '') AS BLOB) AS ids
       FROM json_each(?1) AS term CROSS JOIN posting
       WHERE ${listsOfTerms} AND length(ids) < ${bitmapBytes} GROUP BY 1`,
      terms,
      fieldMask,
    );
  }

  private bitmapsOf(terms: string, fieldMask: number): StoredLists[] {
    return this.connection.all(
      `SELECT ${chunkOfPosting} AS chunk, entries, ids FROM json_each(?1) AS term CROSS JOIN posting
       WHERE ${listsOfTerms} AND length(ids) = ${bitmapBytes}`,
      terms,
      fieldMask,
    );
  }

  /** Reads the chunks of a cached list that have changed since its generation. */
  private update(key: number, { generation, list }: CachedList): PostingList {
    const changed = this.connection.all<{ chunk: number }>('SELECT chunk FROM chunk WHERE generation > ?', generation);
    const chunks = new Map(list.chunks);
    let { entries } = list;
    for (const { chunk } of changed) {
      const now = this.read(key, chunk, chunk);
      entries += now.entries - count(chunks.get(chunk) ?? empty);
      chunks.delete(chunk);
      for (const [at, container] of now.chunks) chunks.set(at, container);
    }
    return { entries, chunks };
  }

  private read(key: number, from: number, to: number): PostingList {
    const rows = this.rowsBetween(key + from, key + to);
    const chunks = new Map<number, Container>();
    let entries = 0;
    for (const row of rows) {
      chunks.set(chunkOfKey(row.key), decode(row.ids));
      entries += row.entries;
    }
    return { entries, chunks };
  }

  private rowsBetween(first: number, last: number): { key: number; entries: number; ids: Uint8Array }[] {
    return this.connection.all('SELECT key, entries, ids FROM posting WHERE key BETWEEN ? AND ?', first, last);
  }
}

function unionOf(lists: readonly PostingList[]): PostingList {
  if (lists.length === 1) return lists[0] as PostingList;
  const chunks = new Set(lists.flatMap((list) => [...list.chunks.keys()]));
  return {
    entries: lists.reduce((sum, list) => sum + list.entries, 0),
    chunks: new Map(Array.from(chunks, (chunk) => [chunk, or(lists.map((list) => list.chunks.get(chunk) ?? empty))])),
  };
}

function sizeOf(list: PostingList): number {
  let bytes = listOverheadBytes;
  for (const container of list.chunks.values()) bytes += container.byteLength + 100;
  return bytes;
}
