import { partsOf } from '../../../../../packages/search-language/tokenize.js';
import { isFunctionWord } from '../../../../../packages/token-vectors/function-words.js';
import { cosine, type TokenVectors } from '../../../../../packages/token-vectors/token-vectors.js';
import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { foldCase } from '../../../../kernel/text.js';
import { kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { and, type Container, empty } from '../index/containers.js';
import { comparedTexts } from '../index/entry-vectors.js';
import type { QueryCompiler } from './compile-query.js';
import type { Condition } from './conditions.js';
import type { CreationOrder } from './creation-order.js';
import { contains, type EntrySet, toEntrySet } from './entry-set.js';
import { cosinesOf, nearestBySignature } from './nearest-entries.js';

/** Number of entries, chosen by their signatures, whose vectors are compared. */
const maxNear = 1_000;
/** Number of leading words whose entries are counted. */
const maxCountedWords = 40;
/** Number of words that count, the rarest first, and number of the newest entries compared for each of them. */
const maxWords = 12;
const maxWithWord = 200;
/** Score gained by an entry with all words, and by one with all devices. */
const wordGain = 0.5;
const deviceGain = 0.2;
/**
 * Gains that only order similar entries: with all tags, with the same level, and created about the same time. They make
 * no entry similar, because unrelated entries have them in common, too.
 */
const tagGain = 0.1;
const levelGain = 0.03;
const timeGain = 0.03;
const sameTimeMs = 3 * 24 * 3_600_000;
/** Minimum score of a similar entry. */
const minScore = 0.35;
/** Minimum share of the words for an entry to count as found by its terms. */
const minShare = 0.2;

/** A text; of an entry also the devices that it mentions, and what else it may have in common with others. */
export interface ComparedText {
  readonly texts: ReturnType<typeof comparedTexts>;
  readonly devices: readonly string[];
  readonly entry?: { readonly tags: readonly string[]; readonly level: string; readonly createdMs: number };
}

export const toCompared = ({ view }: SearchableEntry): ComparedText => ({
  texts: comparedTexts(view),
  devices: view.devices ?? [],
  entry: { tags: view.tags.map(({ name }) => name), level: view.level, createdMs: view.createdDate },
});

export interface SimilarDeps {
  readonly index: Connection;
  readonly order: CreationOrder;
  readonly compiler: QueryCompiler;
  readonly vectors: TokenVectors;
  readonly checkTime: () => void;
}

/** A word, device or tag with the entries that have it. */
interface SharedTerm {
  readonly entries: EntrySet;
  readonly weight: number;
}

/**
 * An entry near a text. `isByTerms`: it shares enough rare words or devices with the text to need no other reason.
 * Nearness alone is not enough, because the vectors of unrelated entries are near each other, too.
 */
interface Near {
  readonly id: number;
  readonly isByTerms: boolean;
}

/** Returns the most similar entries, best first; entries with equal scores newest first. */
export function findSimilar(deps: SimilarDeps, among: EntrySet, to: ComparedText, size: number): Near[] {
  const vector = deps.vectors.embed(to.texts);
  const words = wordTerms(deps, among, to);
  const devices = to.devices.slice(0, maxWords).map((name) => ({
    entries: within(inChunks(deps.compiler.has(kinds.device, foldCase(name))), among),
    weight: 1,
  }));
  const inCommon = entryTerms(deps, among, to);
  const candidates = new Set(
    nearestBySignature(deps.index, among, vector, { limit: maxNear, checkTime: deps.checkTime }),
  );
  for (const { entries } of [...words, ...devices]) {
    for (const id of deps.order.page(entries, 'newest', 0, maxWithWord)) candidates.add(id);
  }
  const scored = Array.from(cosinesOf(deps.index, [...candidates], vector), ([id, near]) => {
    const [ofWords, ofDevices] = [shareOf(words, id), shareOf(devices, id)];
    const isByTerms = ofWords >= minShare || ofDevices > 0;
    return { id, isByTerms, score: near + wordGain * ofWords + deviceGain * ofDevices };
  });
  return scored
    .filter(({ score }) => score >= minScore)
    .map((one) => ({
      ...one,
      score: inCommon.reduce((score, { terms, gain }) => score + gain * shareOf(terms, one.id), one.score),
    }))
    .sort((one, other) => other.score - one.score || other.id - one.id)
    .slice(0, size);
}

/** Returns what an entry may have in common with similar ones besides words and devices, each with its gain. */
function entryTerms({ compiler, order }: SimilarDeps, among: EntrySet, { entry }: ComparedText) {
  if (!entry) return [];
  const { tags, level, createdMs } = entry;
  const tagged = tags.slice(0, maxWords).map((name) => {
    const entries = within(inChunks(compiler.has(kinds.tag, foldCase(name))), among);
    return { entries, weight: rarity(entries.count, among.count) };
  });
  const sameLevel = within(inChunks(compiler.has(kinds.level, foldCase(level))), among);
  const sameTime = within(order.createdIn(createdMs - sameTimeMs, createdMs + sameTimeMs), among);
  return [
    { terms: tagged, gain: tagGain },
    { terms: [{ entries: sameLevel, weight: 1 }], gain: levelGain },
    { terms: [{ entries: sameTime, weight: 1 }], gain: timeGain },
  ];
}

/** Pattern for a number that many entries share by chance. */
const smallNumber = /^\d{1,2}$/;

/** Returns the rarest words of the text. Only visible entries are counted, so that hidden ones reveal no word. */
function wordTerms({ compiler, checkTime }: SimilarDeps, among: EntrySet, { texts }: ComparedText): SharedTerm[] {
  const words = new Set(texts.flatMap(([text]) => partsOf(text.slice(0, 500))));
  return Array.from(words)
    .filter((word) => !smallNumber.test(word))
    .slice(0, maxCountedWords)
    .map((word) => {
      checkTime();
      return within(inChunks(compiler.has(kinds.word, word)), among);
    })
    .filter(({ count }) => count > 0)
    .sort((one, other) => one.count - other.count)
    .slice(0, maxWords)
    .map((entries) => ({ entries, weight: rarity(entries.count, among.count) }));
}

/** Returns the weight of a word. It is squared because a rare word says more than several frequent ones. */
const rarity = (count: number, all: number): number => Math.log(1 + all / (1 + count)) ** 2;

const inChunks = (condition: Condition) => (chunk: number) => condition.idsIn(chunk);

const within = (idsIn: (chunk: number) => Container, among: EntrySet): EntrySet =>
  toEntrySet(among.chunks.map((container, chunk) => (container.length === 0 ? empty : and(container, idsIn(chunk)))));

function shareOf(terms: readonly SharedTerm[], id: number): number {
  const all = terms.reduce((sum, { weight }) => sum + weight, 0);
  const shared = terms.reduce((sum, { entries, weight }) => sum + (contains(entries, id) ? weight : 0), 0);
  return all === 0 ? 0 : shared / all;
}

/** Maximum number of reasons given for a similarity, and of the words of an entry that are tested. */
const maxReasons = 3;
const maxTested = 100;
const minLikeness = 0.3;
/** Minimum weight of a word that explains a similarity: “the”, “with” and “not” have less, “floor” and “water” more. */
const minReasonWeight = 270;

/** Returns the devices and words of an entry that explain its similarity, the strongest first. */
export function reasonsFor({ view }: SearchableEntry, to: ComparedText, vectors: TokenVectors): string[] {
  const vector = vectors.embed(to.texts);
  const devices = (view.devices ?? []).filter((name) => to.devices.includes(name));
  const words = new Set(comparedTexts(view).flatMap(([text]) => text.match(/\p{L}[\p{L}\p{M}-]{2,}/gu) ?? []));
  const likely = Array.from(words)
    .slice(0, maxTested)
    .filter((word) => vectors.weightOf(word) >= minReasonWeight && !isFunctionWord(word))
    .map((word) => ({ word, likeness: cosine(vectors.embed([[word, 1]]), vector) }))
    .filter(({ likeness }) => likeness >= minLikeness)
    .sort((one, other) => other.likeness - one.likeness);
  return [...devices, ...likely.map(({ word }) => word)].slice(0, maxReasons);
}
