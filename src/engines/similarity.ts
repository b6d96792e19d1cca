import { partsOf } from '../../packages/search-language/tokenize.js';
import { isFunctionWord } from '../../packages/token-vectors/function-words.js';
import { cosine, type TokenVectors, type WeightedTexts } from '../../packages/token-vectors/token-vectors.js';
import type { Entry } from '../entries/entry.js';
import type { SearchableEntry } from '../entries/searchable-entry.js';
import { foldCase } from '../kernel/text.js';
import { type Kind, kinds } from './search-terms.js';
import { comparedTexts } from './text-vectors.js';

/** Number of characters at the beginning of each text from which words are taken, and maximum number of these words. */
const countedChars = 500;
const maxCountedWords = 40;
/** Maximum number of words that count, which are the rarest ones; also of devices, and of tags. */
const maxTerms = 12;
/**
 * Scores gained by an entry with all words, all devices, all tags, the same level, or about the same time of creation.
 * Tags, level and time only order similar entries. They make no entry similar, because unrelated entries have them in
 * common, too.
 */
const gains = { words: 0.5, devices: 0.2, tags: 0.1, level: 0.03, time: 0.03 } as const;
const sameTimeMs = 3 * 24 * 3_600_000;
/** Minimum score of a similar entry. */
const minScore = 0.35;
/** Minimum share of the maximum score for words that makes `isByTerms` true. */
const minShare = 0.2;

/** A text to compare. If it belongs to an entry, also the devices, tags, level and creation time of the entry. */
export interface ComparedText {
  readonly texts: WeightedTexts;
  readonly devices: readonly string[];
  readonly entry?: { readonly tags: readonly string[]; readonly level: string; readonly createdMs: number };
}

export const textToCompare = (text: string): ComparedText => ({ texts: [[text, 1]], devices: [] });

export const entryToCompare = ({ view }: Pick<SearchableEntry, 'view'>): ComparedText => ({
  texts: comparedTexts(view),
  devices: view.devices ?? [],
  entry: { tags: view.tags.map(({ name }) => name), level: view.level, createdMs: view.createdDate },
});

/** Something that an entry may have in common with a compared text: a word, a value, or the time of creation. */
export interface SharedTerm {
  readonly group: keyof typeof gains;
  readonly is:
    | { readonly kind: Kind; readonly name: string }
    | { readonly createdFromMs: number; readonly createdToMs: number };
}

/** Pattern for a number that many entries share by chance. */
const smallNumber = /^\d{1,2}$/;

export function listSharedTerms({ texts, devices, entry }: ComparedText): SharedTerm[] {
  const words = new Set(texts.flatMap(([text]) => partsOf(text.slice(0, countedChars))));
  const counted = Array.from(words).filter((word) => !smallNumber.test(word));
  const valuesOf = (group: SharedTerm['group'], kind: Kind, names: readonly string[]): SharedTerm[] =>
    names.slice(0, maxTerms).map((name) => ({ group, is: { kind, name: foldCase(name) } }));
  const shared: SharedTerm[] = [
    ...counted.slice(0, maxCountedWords).map((name) => ({ group: 'words', is: { kind: kinds.word, name } }) as const),
    ...valuesOf('devices', kinds.device, devices),
  ];
  if (!entry) return shared;
  const { tags, level, createdMs } = entry;
  const around = { createdFromMs: createdMs - sameTimeMs, createdToMs: createdMs + sameTimeMs };
  return [
    ...shared,
    ...valuesOf('tags', kinds.tag, tags),
    ...valuesOf('level', kinds.level, [level]),
    { group: 'time', is: around },
  ];
}

/** A term with the number of visible entries that have it. Counting hidden entries would reveal their words. */
interface CountedTerm {
  readonly group: SharedTerm['group'];
  readonly count: number;
}

interface GainingTerm {
  readonly group: SharedTerm['group'];
  /** Score gained by an entry that has the term. */
  readonly gain: number;
}

/** Returns the terms that count, each with its gain: a rare word or tag gains more than a frequent one. */
export function weigh<Term extends CountedTerm>(counted: readonly Term[], all: number): (Term & GainingTerm)[] {
  const rarestWords = counted
    .filter(({ group, count }) => group === 'words' && count > 0)
    .sort((one, other) => one.count - other.count)
    .slice(0, maxTerms);
  const used = [...rarestWords, ...counted.filter(({ group }) => group !== 'words')];
  const totals = { words: 0, devices: 0, tags: 0, level: 0, time: 0 };
  for (const term of used) totals[term.group] += weightOf(term, all);
  return used.map((term) => ({ ...term, gain: (gains[term.group] * weightOf(term, all)) / totals[term.group] }));
}

function weightOf({ group, count }: CountedTerm, all: number): number {
  // Squared because a rare word says more than several frequent ones.
  return group === 'words' || group === 'tags' ? Math.log(1 + all / (1 + count)) ** 2 : 1;
}

/**
 * Score of an entry. `isByTerms`: the entry shares enough rare words, or a device, with the text to need no other
 * reason. Nearness alone is not enough, because the vectors of unrelated entries are near each other, too.
 */
export interface Similarity {
  readonly score: number;
  readonly isByTerms: boolean;
}

/**
 * Returns the score of an entry; undefined if the entry is not similar.
 * @param near cosine of the vectors of the entry and the compared text
 */
export function similarityOf<Term extends GainingTerm>(
  near: number,
  terms: readonly Term[],
  has: (term: Term) => boolean,
): Similarity | undefined {
  const gained = { words: 0, devices: 0, tags: 0, level: 0, time: 0 };
  for (const term of terms) if (has(term)) gained[term.group] += term.gain;
  const { words, devices, tags, level, time } = gained;
  const score = near + words + devices;
  if (score < minScore) return undefined;
  return { score: score + tags + level + time, isByTerms: words >= gains.words * minShare || devices > 0 };
}

/** Orders similar entries: the best first, and the newest of those with equal scores. */
export function bestFirst(one: Similarity & { id: number }, other: Similarity & { id: number }): number {
  return other.score - one.score || other.id - one.id;
}

/** Maximum number of reasons given for a similarity, and of the words of an entry that are tested. */
const maxReasons = 3;
const maxTested = 100;
const minLikeness = 0.3;
/** Minimum weight of a word that explains a similarity: “the”, “with” and “not” have less, “floor” and “water” more. */
const minReasonWeight = 270;

/** Returns the devices and words of an entry that explain its similarity, the strongest first. */
export function reasonsFor(
  entry: Pick<Entry, 'title' | 'description' | 'devices'>,
  to: ComparedText,
  vectors: TokenVectors,
): string[] {
  const vector = vectors.embed(to.texts);
  const devices = (entry.devices ?? []).filter((name) => to.devices.includes(name));
  const words = new Set(comparedTexts(entry).flatMap(([text]) => text.match(/\p{L}[\p{L}\p{M}-]{2,}/gu) ?? []));
  const likely = Array.from(words)
    .slice(0, maxTested)
    .filter((word) => vectors.weightOf(word) >= minReasonWeight && !isFunctionWord(word))
    .map((word) => ({ word, likeness: cosine(vectors.embed([[word, 1]]), vector) }))
    .filter(({ likeness }) => likeness >= minLikeness)
    .sort((one, other) => other.likeness - one.likeness);
  return [...devices, ...likely.map(({ word }) => word)].slice(0, maxReasons);
}
