import type { Connection } from '../../database/connection.js';
import { and, andNot, type Container, empty, has, or } from '../index/containers.js';
import { AscendingRun } from './ascending-run.js';
import {
  byCreation,
  type DatedEntries,
  type DatedEntry,
  firstSince,
  mergedSlice,
  toDatedEntries,
} from './dated-entries.js';
import { contains, countBelow, type EntrySet, entrySetFromIds, idRange, slicePage, toEntrySet } from './entry-set.js';

/** Maximum number of runs for backdated entries. Entries that fit into none are kept in one sorted list. */
const maxRuns = 8;
/** Number of rows read at a time. */
const batchRows = 50_000;

/**
 * Order of entries by creation. It is the order of ids, except for backdated entries: those stored after an entry with
 * a later date. After one entry with a date far in the future, every later entry is backdated. Backdated entries, such
 * as imported ones, usually ascend by date themselves and thus form a few ascending runs.
 */
export class CreationOrder {
  private readonly runs: AscendingRun[] = [];
  /** Backdated entries outside the runs, in creation order. */
  private others: DatedEntry[] = [];
  private backdatedChunks: readonly Container[] = [];
  private rowsRead = 0;

  constructor(private readonly documents: Connection) {}

  /** Must be called at the start of each transaction. */
  refresh(): void {
    const before = this.rowsRead;
    const others: DatedEntry[] = [];
    // Rows are never changed or removed, so only new ones are read.
    for (let rows = this.readRows(); rows.length > 0; rows = this.readRows()) {
      for (const row of rows) if (!this.addToRun(row)) others.push(row);
      this.rowsRead += rows.length;
    }
    if (this.rowsRead === before) return;
    if (others.length > 0) this.others = [...this.others, ...others].sort(byCreation);
    const sets = [...this.runs.map(({ chunks }) => chunks), entrySetFromIds(this.others.map(({ id }) => id)).chunks];
    const length = Math.max(...sets.map((chunks) => chunks.length));
    this.backdatedChunks = Array.from({ length }, (_, chunk) => or(sets.map((chunks) => chunks[chunk] ?? empty)));
  }

  /**
   * Returns, by chunk, the entries created in a window, both ends included. The sets may also contain ids without an
   * entry.
   */
  createdIn(startMs: number, endMs: number): (chunk: number) => Container {
    const first = this.firstInOrder(startMs);
    const last = this.documents.get<{ id: number }>(
      'SELECT id FROM entry WHERE in_order = 1 AND created_ms <= ? ORDER BY created_ms DESC, id DESC LIMIT 1',
      endMs,
    )?.id;
    const inRuns = this.runs.map((run) => run.createdIn(startMs, endMs));
    const others = entrySetFromIds(
      this.others.slice(firstSince(this.others, startMs), firstSince(this.others, endMs + 1)).map(({ id }) => id),
    ).chunks;
    return (chunk) => {
      const backdatedHere = or([others[chunk] ?? empty, ...inRuns.map((run) => run(chunk))]);
      if (first === undefined || last === undefined) return backdatedHere;
      const inOrder = idRange(first, last, chunk);
      return or([andNot(inOrder, this.backdatedChunks[chunk] ?? empty), backdatedHere]);
    };
  }

  page(entries: EntrySet, sort: 'newest' | 'oldest', from: number, size: number): number[] {
    const pageSize = Math.min(size, entries.count - from);
    if (pageSize <= 0) return [];
    const inRuns = this.runs.map((run) => run.within(entries));
    const others = this.others.filter(({ id }) => contains(entries, id));
    if (others.length === 0 && inRuns.every(({ count: some }) => some === 0)) {
      return slicePage(entries.chunks, sort, from, pageSize);
    }
    const lists = [this.inOrder(entries), ...inRuns, toDatedEntries(others)];
    const ids = mergedSlice(lists, sort === 'oldest' ? from : entries.count - from - pageSize, pageSize);
    return sort === 'oldest' ? ids : ids.reverse();
  }

  backdatedIn(chunk: number): (low: number) => boolean {
    const container = this.backdatedChunks[chunk] ?? empty;
    return container.length === 0 ? () => false : (low) => has(container, low);
  }

  /** Counts the entries of the set that precede an entry in creation order. */
  countBefore({ chunks }: EntrySet, { id, created_ms }: DatedEntry): number {
    const earlier = this.createdIn(Number.MIN_SAFE_INTEGER, created_ms - 1);
    const together = this.createdIn(created_ms, created_ms);
    const before = chunks.map((container, chunk) =>
      or([and(container, earlier(chunk)), and(and(container, together(chunk)), idRange(0, id - 1, chunk))]),
    );
    return toEntrySet(before).count;
  }

  private readRows(): DatedEntry[] {
    return this.documents.all<DatedEntry & Record<string, unknown>>(
      'SELECT id, created_ms FROM backdated_entry WHERE number > ? ORDER BY number LIMIT ?',
      this.rowsRead,
      batchRows,
    );
  }

  /** Adds an entry to the run whose last entry most closely precedes it. Returns false if it fits into no run. */
  private addToRun(entry: DatedEntry): boolean {
    let closest: AscendingRun | undefined;
    for (const run of this.runs) {
      if (run.canAdd(entry) && run.lastMs > (closest?.lastMs ?? Number.NEGATIVE_INFINITY)) closest = run;
    }
    if (!closest && this.runs.length < maxRuns) {
      closest = new AscendingRun();
      this.runs.push(closest);
    }
    closest?.add(entry);
    return closest !== undefined;
  }

  private firstInOrder(sinceMs: number): number | undefined {
    return this.documents.get<{ id: number }>(
      'SELECT id FROM entry WHERE in_order = 1 AND created_ms >= ? ORDER BY created_ms, id LIMIT 1',
      sinceMs,
    )?.id;
  }

  private inOrder({ chunks }: EntrySet): DatedEntries {
    const set = toEntrySet(chunks.map((container, chunk) => andNot(container, this.backdatedChunks[chunk] ?? empty)));
    return {
      count: set.count,
      countBefore: (ms) => countBelow(set, this.firstInOrder(ms)),
      slice: (from, size) =>
        this.documents.all<DatedEntry & Record<string, unknown>>(
          'SELECT entry.id AS id, created_ms FROM json_each(?) AS wanted CROSS JOIN entry ON entry.id = wanted.value',
          JSON.stringify(slicePage(set.chunks, 'oldest', from, size)),
        ),
    };
  }
}
