import type { Connection } from '../../database/connection.js';
import { getSearchable, listWritesAfter, newestSequence } from '../../tables/entry-writes.js';
import { indexBuilding, isBacklogTooLarge, maxUnindexed } from '../index/search-faults.js';
import { type Field, fieldCount, forEachTerm, type Kind, type SearchableEntry, textsOf } from '../index/terms.js';

/** An entry with its terms, on which conditions are tested. */
export class UnindexedEntry {
  /** By kind and field, the names of the terms with their labels. */
  private readonly terms = new Map<number, Map<string, string>>();

  constructor(
    readonly entry: SearchableEntry,
    readonly sequence: number,
  ) {
    forEachTerm(
      entry,
      () => false,
      (kind, field, name, label) => {
        const key = kind * fieldCount + field;
        const names = this.terms.get(key);
        if (names) names.set(name, label);
        else this.terms.set(key, new Map([[name, label]]));
      },
    );
  }

  has(kind: Kind, field: number, name: string): boolean {
    return this.terms.get(kind * fieldCount + field)?.has(name) ?? false;
  }

  some(kind: Kind, field: number, passes: (name: string) => boolean): boolean {
    for (const name of this.terms.get(kind * fieldCount + field)?.keys() ?? []) if (passes(name)) return true;
    return false;
  }

  /** Returns the names of its terms that pass. */
  filter(kind: Kind, field: number, passes: (name: string) => boolean): string[] {
    return Array.from(this.terms.get(kind * fieldCount + field)?.keys() ?? []).filter(passes);
  }

  /** Returns the values of a kind: the folded name with the label, its original spelling. */
  labels(kind: Kind): ReadonlyMap<string, string> {
    return this.terms.get(kind * fieldCount) ?? new Map();
  }

  texts(field: Field): readonly string[] {
    return textsOf(this.entry, field);
  }
}

/** The entries written since the index was last updated, for which the index is out of date. */
export class UnindexedEntries {
  private readonly entries = new Map<number, UnindexedEntry>();
  /** The sequence number of the newest write that was read. */
  private newestRead = 0;

  constructor(private readonly documents: Connection) {}

  /**
   * Reads the new writes. Must be called at the start of each transaction.
   * @throws Fault unavailable `search.index-building`
   */
  refresh(indexedSequence: number, checkTime: () => void): void {
    const newest = newestSequence(this.documents);
    if (isBacklogTooLarge(indexedSequence, newest)) throw indexBuilding(indexedSequence, newest);
    for (const [id, { sequence }] of this.entries) if (sequence <= indexedSequence) this.entries.delete(id);
    for (const { id, sequence } of listWritesAfter(
      this.documents,
      Math.max(this.newestRead, indexedSequence),
      maxUnindexed,
    )) {
      checkTime();
      this.entries.set(id, new UnindexedEntry(getSearchable(this.documents, id), sequence));
      this.newestRead = sequence;
    }
  }

  get ids(): number[] {
    return [...this.entries.keys()];
  }

  filter(passes: (entry: UnindexedEntry) => boolean): UnindexedEntry[] {
    return Array.from(this.entries.values()).filter(passes);
  }
}
