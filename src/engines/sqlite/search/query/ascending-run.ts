import { and, type Container, chunkOf, chunkSize, empty, toContainer } from '../index/containers.js';
import { type DatedEntries, type DatedEntry, firstSince } from './dated-entries.js';
import { countBelow, type EntrySet, idRange, slicePage, toEntrySet } from './entry-set.js';

/** Entries whose creation dates ascend with their ids. */
export class AscendingRun {
  private readonly entries: DatedEntry[] = [];
  private readonly lows: number[][] = [];
  private readonly containers: Container[] = [];
  /** First chunk whose container is out of date. */
  private changedFrom = 0;

  /** Creation date of the last entry. */
  get lastMs(): number {
    return this.entries.at(-1)?.created_ms ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether an entry can be added while keeping the order. */
  canAdd({ id, created_ms }: DatedEntry): boolean {
    const last = this.entries.at(-1);
    return last === undefined || (last.id < id && last.created_ms <= created_ms);
  }

  get chunks(): readonly Container[] {
    for (; this.changedFrom < this.lows.length; this.changedFrom++) {
      this.containers[this.changedFrom] = toContainer(this.lows[this.changedFrom] ?? []);
    }
    return this.containers;
  }

  /** Adds an entry whose id is higher than that of the last one, and whose date is not earlier. */
  add({ id, created_ms }: DatedEntry): void {
    this.entries.push({ id, created_ms });
    const chunk = chunkOf(id);
    while (this.lows.length <= chunk) this.lows.push([]);
    this.lows[chunk]?.push(id % chunkSize);
    this.changedFrom = Math.min(this.changedFrom, chunk);
  }

  createdIn(startMs: number, endMs: number): (chunk: number) => Container {
    const first = this.entries[firstSince(this.entries, startMs)]?.id;
    const last = this.entries[firstSince(this.entries, endMs + 1) - 1]?.id;
    if (first === undefined || last === undefined) return () => empty;
    return (chunk) => and(this.chunks[chunk] ?? empty, idRange(first, last, chunk));
  }

  /** Returns the entries of the run that are in the set. */
  within({ chunks }: EntrySet): DatedEntries {
    const set = toEntrySet(chunks.map((container, chunk) => and(container, this.chunks[chunk] ?? empty)));
    return {
      count: set.count,
      countBefore: (ms) => countBelow(set, this.entries[firstSince(this.entries, ms)]?.id),
      slice: (from, size) => slicePage(set.chunks, 'oldest', from, size).map((id) => this.dated(id)),
    };
  }

  private dated(id: number): DatedEntry {
    let [start, end] = [0, this.entries.length];
    while (start < end) {
      const middle = (start + end) >>> 1;
      if ((this.entries[middle] as DatedEntry).id < id) start = middle + 1;
      else end = middle;
    }
    return this.entries[start] as DatedEntry;
  }
}
