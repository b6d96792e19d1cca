import { type FoundTerm, fields, type Kind } from '../../../search-terms.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** Terms that a wildcard or a fuzzy word matches. */
export interface Expansion {
  /** Matching terms of the index, at most 20,000 per pattern and kind. */
  readonly indexed: readonly string[];
  /** Returns the matching terms of an entry that is not indexed. */
  in(entry: UnindexedEntry): readonly string[];
}

/** Returns the expansion to these terms in all fields, because the dictionary does not distinguish fields. */
export function expansionTo(
  terms: readonly FoundTerm[],
  termKinds: readonly Kind[],
  passes: (name: string) => boolean,
): Expansion {
  return {
    indexed: terms.map(({ name }) => name),
    in: (entry) =>
      termKinds.flatMap((kind) => Object.values(fields).flatMap((field) => entry.filter(kind, field, passes))),
  };
}
