import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { fields, type Kind, kinds, textsOf } from '../../../search-terms.js';
import { DistinctTerms, forEachTerm, type OnTerm, type PairTerms } from './terms.js';

/**
 * Maximum number of new terms that one entry may add to the index, separately for its own texts and values and for the
 * texts of its attachments. A long report has a few thousand different words, most of which are already known. The
 * limit prevents an entry from filling the vocabulary, which every wildcard searches, with random words.
 */
export interface VocabularyLimit {
  readonly own: number;
  readonly attachments: number;
}

export const vocabularyLimit: VocabularyLimit = { own: 10_000, attachments: 20_000 };
/** Limit for removals from the index, which add no terms. */
export const noNewTerms: VocabularyLimit = { own: 0, attachments: 0 };

/** Kinds of terms that users choose freely. */
const limitedKinds: ReadonlySet<Kind> = new Set([
  kinds.word,
  kinds.name,
  kinds.property,
  kinds.attribute,
  kinds.attributeValue,
  kinds.filename,
  kinds.ending,
]);
/** Returns the names that the index already contains. */
export type FindKnown = (kind: Kind, names: readonly string[]) => ReadonlySet<string>;

/**
 * Calls `onTerm` for the terms of an entry that the index contains, and for as many new ones as the limit allows, in
 * text order. Pairs are not limited, because they consist of frequent words. Returns the number of omitted terms.
 */
export function forEachTermWithin(
  limit: VocabularyLimit,
  entry: SearchableEntry,
  findKnown: FindKnown,
  onTerm: OnTerm,
  pairs?: PairTerms,
): number {
  if (hasFewTerms(entry)) {
    forEachTerm(entry, onTerm, pairs);
    return 0;
  }
  // Split only once, because splitting a long text into words is slow.
  const terms = new DistinctTerms();
  forEachTerm(entry, terms.add, pairs);
  const omitted = findOmitted(limit, terms, findKnown);
  terms.forEach((kind, field, name, label) => {
    if (!omitted[groupOf(field)].get(kind)?.has(name)) onTerm(kind, field, name, label);
  });
  return Object.values(omitted).reduce((sum, byKind) => sum + sizeOf(byKind), 0);
}

type Names = Map<Kind, Set<string>>;
type Group = keyof VocabularyLimit;

const groupOf = (field: number): Group => (field === fields.attachment ? 'attachments' : 'own');

/**
 * Whether the length of the texts alone rules out too many terms, as it does for most entries: each term has at least
 * one character.
 */
export function hasFewTerms(entry: SearchableEntry): boolean {
  const chars = { own: 0, attachments: 0 };
  for (const field of Object.values(fields)) {
    for (const text of textsOf(entry, field)) chars[groupOf(field)] += text.length + 1;
  }
  return chars.own <= vocabularyLimit.own && chars.attachments <= vocabularyLimit.attachments;
}

function findOmitted(
  limit: VocabularyLimit,
  terms: DistinctTerms,
  findKnown: FindKnown,
): Readonly<Record<Group, Names>> {
  const names: Record<Group, Names> = { own: new Map(), attachments: new Map() };
  terms.forEach((kind, field, name) => {
    if (!limitedKinds.has(kind)) return;
    const ofKind = names[groupOf(field)].get(kind);
    if (ofKind) ofKind.add(name);
    else names[groupOf(field)].set(kind, new Set([name]));
  });
  for (const group of ['own', 'attachments'] as const) removeAccepted(limit[group], names[group], findKnown);
  return names;
}

/** Removes the names from `names` that are known or within the limit. */
function removeAccepted(limit: number, names: Names, findKnown: FindKnown): void {
  if (sizeOf(names) <= limit) {
    names.clear();
    return;
  }
  let accepted = 0;
  for (const [kind, ofKind] of names) {
    for (const name of findKnown(kind, [...ofKind])) ofKind.delete(name);
    for (const name of ofKind) {
      if (accepted === limit) break;
      ofKind.delete(name);
      accepted += 1;
    }
  }
}

function sizeOf(names: Names): number {
  return Array.from(names.values()).reduce((sum, ofKind) => sum + ofKind.size, 0);
}
