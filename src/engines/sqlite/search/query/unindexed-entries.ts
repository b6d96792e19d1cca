import { fold, termsOf } from '../../../../../packages/search-language/tokenize.js';
import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { indexBuilding, isBacklogTooLarge, maxUnindexed } from '../../../search-faults.js';
import { type Field, forEachFacet, type Kind, kinds, textsOf } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { findSequence, getSearchable, listWritesAfter, newestSequence } from '../../tables/entry-writes.js';
import { listRedactedAfter } from '../index/removed-content.js';
import { DistinctTerms, forEachTerm } from '../index/terms.js';

/**
 * An entry with its terms, on which conditions are tested. Its texts are split into words only when a search cannot do
 * without: after thousands of writes, such as those of an import, the next search would wait for that.
 */
export class UnindexedEntry {
  /** Values at first, words when they are needed. */
  private readonly terms = new DistinctTerms();
  private hasWords = false;
  private readonly folded = new Map<Field, readonly string[]>();

  constructor(
    readonly entry: SearchableEntry,
    readonly sequence: number,
  ) {
    forEachFacet(entry, (kind, name, label) => this.terms.add(kind, 0, name, label));
  }

  has(kind: Kind, field: number, name: string): boolean {
    if (this.isInText(kind) && !this.hasWords) {
      const found = this.foldedTexts(field as Field).map((text) => findTerm(text, kind, name));
      if (found.includes(true)) return true;
      if (!found.includes(undefined)) return false;
    }
    return this.namesOf(kind, field).has(name);
  }

  /** @param literal contained in every name that passes; it decides for most texts without splitting them */
  some(kind: Kind, field: number, passes: (name: string) => boolean, literal = ''): boolean {
    if (this.isInText(kind) && !this.hasWords) {
      const texts = this.foldedTexts(field as Field);
      if (!texts.some((text) => text.includes(literal))) return false;
    }
    for (const name of this.namesOf(kind, field).keys()) if (passes(name)) return true;
    return false;
  }

  /** Returns the names of its terms that pass. */
  filter(kind: Kind, field: number, passes: (name: string) => boolean): string[] {
    return Array.from(this.namesOf(kind, field).keys()).filter(passes);
  }

  /** Returns the values of a kind: the folded name with the label, its original spelling. */
  labels(kind: Kind): ReadonlyMap<string, string> {
    return this.namesOf(kind, 0);
  }

  texts(field: Field): readonly string[] {
    return textsOf(this.entry, field);
  }

  private isInText(kind: Kind): boolean {
    return kind === kinds.word || kind === kinds.name;
  }

  private namesOf(kind: Kind, field: number): ReadonlyMap<string, string> {
    if (this.isInText(kind) && !this.hasWords) this.addWords();
    return this.terms.of(kind, field);
  }

  private addWords(): void {
    forEachTerm(this.entry, this.terms.add);
    this.hasWords = true;
    this.folded.clear();
  }

  private foldedTexts(field: Field): readonly string[] {
    const known = this.folded.get(field);
    if (known) return known;
    const texts = this.texts(field).map(fold);
    this.folded.set(field, texts);
    return texts;
  }
}

/** Maximum distance from an occurrence of a term at which a space is looked for, and maximum number of occurrences. */
const maxAround = 1_000;
const maxOccurrences = 100;

/** Returns whether a folded text contains a term; undefined when the text has to be split into its terms first. */
function findTerm(text: string, kind: Kind, name: string): boolean | undefined {
  let at = text.indexOf(name);
  for (let occurrence = 0; at >= 0; occurrence++, at = text.indexOf(name, at + 1)) {
    if (occurrence === maxOccurrences) return undefined;
    const end = at + name.length;
    const before = text.slice(Math.max(0, at - maxAround), at);
    const after = text.slice(end, end + maxAround);
    const [left = ''] = /\S*$/.exec(before) ?? [];
    const [right = ''] = /^\S*/.exec(after) ?? [];
    if (left.length === maxAround || right.length === maxAround) return undefined;
    const { parts, names } = termsOf(left + name + right);
    if ((kind === kinds.word ? parts : names).includes(name)) return true;
  }
  return false;
}

/**
 * The entries for which the index is out of date: those written since it was last updated, and those from which content
 * was removed since it was begun. It finds the latter by words that no version explains any more.
 */
export class UnindexedEntries {
  private readonly entries = new Map<number, UnindexedEntry>();
  private newestRead = 0;
  private readonly redacted = new Set<number>();

  /** @param newestRedaction number of the redaction that all the index has read is from after */
  constructor(
    private readonly documents: Connection,
    private newestRedaction: number,
  ) {}

  /**
   * Reads the new writes. Must be called at the start of each transaction.
   * @throws Fault unavailable `search.index-building`
   */
  refresh(indexedSequence: number, checkTime: () => void): void {
    const newest = newestSequence(this.documents);
    if (isBacklogTooLarge(indexedSequence, newest)) throw indexBuilding(indexedSequence, newest);
    for (const [id, { sequence }] of this.entries) {
      if (sequence <= indexedSequence && !this.redacted.has(id)) this.entries.delete(id);
    }
    for (const { id, sequence } of listWritesAfter(
      this.documents,
      Math.max(this.newestRead, indexedSequence),
      maxUnindexed,
    )) {
      checkTime();
      this.entries.set(id, new UnindexedEntry(getSearchable(this.documents, id), sequence));
      this.newestRead = sequence;
    }
    this.refreshRedacted(checkTime);
  }

  get ids(): number[] {
    return [...this.entries.keys()];
  }

  filter(passes: (entry: UnindexedEntry) => boolean): UnindexedEntry[] {
    return Array.from(this.entries.values()).filter(passes);
  }

  private refreshRedacted(checkTime: () => void): void {
    for (const { number, entryId } of listRedactedAfter(this.documents, this.newestRedaction)) {
      this.newestRedaction = number;
      if (entryId !== undefined) this.redacted.add(entryId);
    }
    for (const id of this.redacted) {
      const sequence = findSequence(this.documents, id);
      if (sequence === undefined || sequence === this.entries.get(id)?.sequence) continue;
      checkTime();
      this.entries.set(id, new UnindexedEntry(getSearchable(this.documents, id), sequence));
    }
  }
}
