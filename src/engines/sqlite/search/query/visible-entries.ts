import { andNot, type Container, empty, idOf, lowsOf } from '../index/containers.js';
import type { Condition } from './conditions.js';
import { type EntrySet, entrySetFromIds } from './entry-set.js';
import type { UnindexedEntries, UnindexedEntry } from './unindexed-entries.js';

/** Entries that the user of a search may see, regardless of the query. */
export class VisibleEntries {
  private readonly outOfDate: EntrySet;
  private known: readonly UnindexedEntry[] | undefined;

  /** @param hidden conditions for entries that are not visible */
  constructor(
    private readonly hidden: readonly Condition[],
    private readonly unindexedEntries: UnindexedEntries,
    private readonly checkTime: () => void,
  ) {
    this.outOfDate = entrySetFromIds(unindexedEntries.ids);
  }

  /** Returns the visible entries of a chunk among `entries` whose current version is indexed. */
  indexed(chunk: number, entries: Container): Container {
    let visible = entries;
    for (const one of this.hidden) {
      if (visible.length > 0) visible = andNot(visible, one.filter?.(chunk, visible) ?? one.idsIn(chunk));
    }
    return andNot(visible, this.outOfDate.chunks[chunk] ?? empty);
  }

  /** Visible entries whose current version is not indexed. */
  get unindexed(): readonly UnindexedEntry[] {
    this.known ??= this.unindexedEntries.filter((entry) => {
      this.checkTime();
      return !this.hidden.some((one) => one.matches(entry));
    });
    return this.known;
  }

  /**
   * Returns the highest id of a visible entry; 0 if there is none.
   * @param existing condition that all entries meet
   */
  newestId(existing: Condition, chunks: number): number {
    let newest = 0;
    for (const { entry } of this.unindexed) newest = Math.max(newest, entry.id);
    for (let chunk = chunks - 1; chunk >= 0; chunk--) {
      const low = lowsOf(this.indexed(chunk, existing.idsIn(chunk))).at(-1);
      if (low !== undefined) return Math.max(newest, idOf(chunk, low));
    }
    return newest;
  }
}
