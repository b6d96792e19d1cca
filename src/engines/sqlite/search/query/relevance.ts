import { distance } from 'fastest-levenshtein';
import type { TextMatch } from '../../../../../packages/search-language/search-text.js';
import { partsOf } from '../../../../../packages/search-language/tokenize.js';
import { wildcardTest } from '../../../../../packages/search-language/wildcard.js';
import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import type { Query } from '../../../../search/query.js';
import { fieldWeights, maxRanked, recencyGain, recencyHalfLifeMs } from '../../../ranking.js';
import { fields, textsOf } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { and, andNot, type Container, empty, or } from '../index/containers.js';
import { type Condition, phrasePositions } from './conditions.js';
import type { CreationOrder } from './creation-order.js';
import { type EntrySet, entrySetFromIds, toEntrySet } from './entry-set.js';

/** BM25 over all fields together, with its usual constants. */
const saturation = 1.2;
const lengthShare = 0.75;

export interface RankingTerm {
  readonly match: TextMatch;
  /** Entries with the term in their title. */
  readonly inTitle: Condition;
  /** Number of entries with the term in any field. */
  readonly entries: number;
}

interface RankedEntries {
  readonly entries: EntrySet;
  /** Entries that are always ranked, newest first. */
  readonly first: EntrySet;
  readonly terms: readonly RankingTerm[];
}

/**
 * Returns a page of the entries, the most relevant first. Up to 1,000 entries are ranked: those in `first`, then
 * those with all terms in the title, those with some of them, and the newest ones.
 */
export function pageByRelevance(
  found: RankedEntries,
  { from, size }: Pick<Query, 'from' | 'size'>,
  deps: {
    readonly documents: Connection;
    readonly order: CreationOrder;
    /** Number of all entries; undefined: the rarity of terms is ignored. */
    readonly total: number | undefined;
    readonly checkTime: () => void;
  },
): number[] {
  const ranked = rank(chooseCandidates(found, deps.order), found.terms, deps);
  const page = ranked.slice(from, from + size);
  if (page.length === size) return page;
  const chosen = entrySetFromIds(ranked).chunks;
  const others = toEntrySet(found.entries.chunks.map((container, chunk) => andNot(container, chosen[chunk] ?? empty)));
  return [...page, ...deps.order.page(others, 'newest', Math.max(0, from - ranked.length), size - page.length)];
}

function chooseCandidates({ entries, first, terms }: RankedEntries, order: CreationOrder): number[] {
  const inTitles = (join: (containers: Container[]) => Container) =>
    toEntrySet(
      entries.chunks.map((container, chunk) =>
        container.length === 0 ? empty : and(container, join(terms.map(({ inTitle }) => inTitle.idsIn(chunk)))),
      ),
    );
  const candidates = new Set<number>();
  const addFrom = (set: EntrySet) => {
    for (const id of order.page(set, 'newest', 0, maxRanked)) if (candidates.size < maxRanked) candidates.add(id);
  };
  addFrom(first);
  addFrom(inTitles((containers) => containers.reduce(and)));
  if (candidates.size < maxRanked) addFrom(inTitles(or));
  if (candidates.size < maxRanked) addFrom(entries);
  return [...candidates];
}

function rank(
  ids: readonly number[],
  terms: readonly RankingTerm[],
  deps: { readonly documents: Connection; readonly total: number | undefined; readonly checkTime: () => void },
): number[] {
  const { documents, total, checkTime } = deps;
  const counters = terms.map(({ match }) => toCounter(match));
  const counted = ids.map((id, at) => {
    if (at % 64 === 0) checkTime();
    return { id, ...countsIn(getSearchable(documents, id), counters) };
  });
  const averageLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const newestMs = Math.max(...counted.map(({ createdMs }) => createdMs));
  const rarity = terms.map(({ entries }) =>
    total === undefined ? 1 : Math.log(2 + Math.max(0, total - entries) / (entries + 0.5)),
  );
  const scored = counted.map(({ id, createdMs, length, counts }) => {
    const slack = saturation * (1 - lengthShare + (lengthShare * length) / Math.max(1, averageLength));
    const relevance = counts.reduce(
      (sum, count, at) => sum + ((rarity[at] as number) * count * (saturation + 1)) / (count + slack),
      0,
    );
    return { id, createdMs, score: relevance * (1 + recencyGain * 2 ** ((createdMs - newestMs) / recencyHalfLifeMs)) };
  });
  scored.sort((one, other) => other.score - one.score || other.createdMs - one.createdMs || other.id - one.id);
  return scored.map(({ id }) => id);
}

type Counter = (words: readonly string[]) => number;

/**
 * Returns a function that counts the occurrences of a match among words. A wildcard that spans several words of a name
 * counts as 0.
 */
function toCounter(match: TextMatch): Counter {
  if (match.kind === 'phrase') return (words) => phrasePositions(words, match.words).length;
  if (match.kind === 'fuzzy') {
    return (words) => words.filter((word) => distance(word, match.word) <= match.maxDistance).length;
  }
  const passes = wildcardTest(match.pattern);
  return (words) => words.filter(passes).length;
}

function countsIn(entry: SearchableEntry, counters: readonly Counter[]) {
  const counts = counters.map(() => 0);
  let length = 0;
  for (const field of Object.values(fields)) {
    for (const text of textsOf(entry, field)) {
      const words = partsOf(text);
      length += words.length;
      for (const [at, counter] of counters.entries()) {
        counts[at] = (counts[at] as number) + fieldWeights[field] * counter(words);
      }
    }
  }
  return { createdMs: entry.view.createdDate, length, counts };
}
