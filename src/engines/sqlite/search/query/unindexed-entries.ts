import { fold, termsOf } from '../../../../../packages/search-language/tokenize.js';
import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { indexBuilding, isBacklogTooLarge, maxUnindexed } from '../../../search-faults.js';
import { type Field, forEachFacet, type Kind, kinds, textsOf } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { findSequence, getSearchable, listWritesAfter, newestSequence } from '../../tables/entry-writes.js';
import { listRedactedAfter } from '../index/removed-content.js';
import { DistinctTerms, forEachTerm } from '../index/terms.js';

/**
 * An unindexed entry with its terms, for testing conditions. Its texts are split into words only if a search requires
 * it. After thousands of writes, for example by an import, splitting all texts would delay the next search.
 */
export class UnindexedEntry {
  /** Terms of the entry: values at first, words when needed. */
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

  /** @param literal part of every name that passes; rules out most texts without splitting them */
  some(kind: Kind, field: number, passes: (name: string) => boolean, literal = ''): boolean {
    if (this.isInText(kind) && !this.hasWords) {
      const texts = this.foldedTexts(field as Field);
      if (!texts.some((text) => text.includes(literal))) return false;
    }
    for (const name of this.namesOf(kind, field).keys()) if (passes(name)) return true;
    return false;
  }

  /** Returns the names of the entry's terms that pass. */
  filter(kind: Kind, field: number, passes: (name: string) => boolean): string[] {
    return Array.from(this.namesOf(kind, field).keys()).filter(passes);
  }

  /** Returns the values of a kind: folded names with their labels, the original spellings. */
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

/** Maximum distance from an occurrence of a term to the next space, and maximum number of occurrences examined. */
const maxAround = 1_000;
const maxOccurrences = 100;

/** Returns whether a folded text contains a term; undefined if the text must first be split into terms. */
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
 * Entries for which the index is out of date: those written since its last update, and those redacted since its
 * creation. For the latter, the index still contains words that no version has.
 */
export class UnindexedEntries {
  private readonly entries = new Map<number, UnindexedEntry>();
  private newestRead = 0;
  private readonly redacted = new Set<number>();

  /** @param newestRedaction number of the newest redaction when the index was created */
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
