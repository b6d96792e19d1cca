import { forEachSlice, partsOf, termsOf } from '../../../../../packages/search-language/tokenize.js';
import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { type Field, fieldCount, fields, forEachFacet, type Kind, kinds, textsOf } from '../../../search-terms.js';
import { bucketsOf } from './event-buckets.js';

export type OnTerm = (kind: Kind, field: number, name: string, label: string) => void;

/** Callbacks for pairs: two adjacent frequent words form a term, identified by their numbers, see frequent-words.ts. */
export interface PairTerms {
  /** Returns the number of a frequent word; undefined for other words. */
  readonly numberOf: (word: string) => number | undefined;
  readonly onPair: (field: number, first: number, second: number) => void;
}

const allFields = Object.values(fields);

/**
 * Calls `onTerm` for every term of an entry, possibly several times for the same term.
 * @param pairs undefined: pairs are not needed
 */
export function forEachTerm(entry: SearchableEntry, onTerm: OnTerm, pairs?: PairTerms): void {
  for (const field of allFields) {
    for (const text of textsOf(entry, field)) {
      const addPairs = pairs && pairFinder(pairs, field);
      forEachSlice(text, (slice) => {
        const { parts, names } = termsOf(slice);
        for (const word of parts) onTerm(kinds.word, field, word, '');
        for (const name of names) onTerm(kinds.name, field, name, '');
        addPairs?.(parts);
      });
    }
  }
  forEachFacet(entry, (kind, name, label) => onTerm(kind, 0, name, label));
  for (const { instant } of entry.view.events)
    for (const bucket of bucketsOf(instant)) onTerm(kinds.event, 0, bucket, '');
}

export function forEachPair(entry: SearchableEntry, pairs: PairTerms): void {
  for (const field of allFields) {
    for (const text of textsOf(entry, field)) {
      const addPairs = pairFinder(pairs, field);
      forEachSlice(text, (slice) => addPairs(partsOf(slice)));
    }
  }
}

/** Returns a function that finds the pairs in the words of one text, passed slice by slice. */
function pairFinder({ numberOf, onPair }: PairTerms, field: Field): (words: readonly string[]) => void {
  let before: number | undefined;
  return (words) => {
    for (const word of words) {
      const number = numberOf(word);
      if (before !== undefined && number !== undefined) onPair(field, before, number);
      before = number;
    }
  };
}

/** Distinct terms of an entry, in the order of its texts. */
export class DistinctTerms {
  /** Names with their labels, by kind and field. */
  private readonly names = new Map<number, Map<string, string>>();

  readonly add: OnTerm = (kind, field, name, label) => {
    const key = kind * fieldCount + field;
    const names = this.names.get(key);
    if (names) names.set(name, label);
    else this.names.set(key, new Map([[name, label]]));
  };

  of(kind: Kind, field: number): ReadonlyMap<string, string> {
    return this.names.get(kind * fieldCount + field) ?? new Map();
  }

  forEach(onTerm: OnTerm): void {
    for (const [key, names] of this.names) {
      for (const [name, label] of names) onTerm(Math.floor(key / fieldCount) as Kind, key % fieldCount, name, label);
    }
  }
}
