import { distance } from 'fastest-levenshtein';
import type { TextMatch } from '../../../../search/query.js';
import { partsOf } from '../../../../search/tokenize.js';
import type { Connection } from '../../database/connection.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { and, andNot, type Container, empty, or } from '../index/containers.js';
import { type Field, fields, type SearchableEntry, textsOf } from '../index/terms.js';
import { type Condition, startsOfRun } from './conditions.js';
import { type CreationOrder, type EntrySet, entrySetOf, setOf } from './creation-order.js';
import { patternTest } from './wildcard.js';

/** So many entries are compared by their texts; the others follow from the newest on. */
const maxRanked = 1_000;

/** BM25 with its usual constants, over the fields together. */
const saturation = 1.2;
const lengthShare = 0.75;
const weights: Readonly<Record<Field, number>> = {
  [fields.title]: 3,
  [fields.description]: 1,
  [fields.other]: 1,
  [fields.attachment]: 0.5,
};
/** The newest match gains so much, one that is a year older half of it, and so on. */
const recencyGain = 0.5;
const recencyHalfLifeMs = 365 * 86_400_000;

/** Something that was asked for. */
export interface Asked {
  readonly match: TextMatch;
  /** That a title has it. */
  readonly inTitle: Condition;
  /** How many entries have it anywhere. */
  readonly entries: number;
}

/**
 * A page of the entries, those first that are the most about what was asked for. Compared are at most 1,000: first
 * those that have all of it in their titles, then some of it, then the newest.
 * @param first to be compared in any case, newest first
 */
export function pageByRelevance(
  entries: EntrySet,
  first: EntrySet,
  asked: readonly Asked[],
  from: number,
  size: number,
  parts: {
    readonly documents: Connection;
    readonly order: CreationOrder;
    /** How many entries there are at all. */
    readonly total: number | undefined;
    readonly checkTime: () => void;
  },
): number[] {
  const ranked = rank(candidatesOf(entries, first, asked, parts.order), asked, parts);
  const page = ranked.slice(from, from + size);
  if (page.length === size) return page;
  const chosen = setOf(ranked).chunks;
  const others = entrySetOf(entries.chunks.map((container, chunk) => andNot(container, chosen[chunk] ?? empty)));
  return [...page, ...parts.order.page(others, 'newest', Math.max(0, from - ranked.length), size - page.length)];
}

function candidatesOf(entries: EntrySet, first: EntrySet, asked: readonly Asked[], order: CreationOrder): number[] {
  const inTitles = (join: (containers: Container[]) => Container) =>
    entrySetOf(
      entries.chunks.map((container, chunk) =>
        container.length === 0 ? empty : and(container, join(asked.map(({ inTitle }) => inTitle.among(chunk)))),
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
  asked: readonly Asked[],
  parts: { readonly documents: Connection; readonly total: number | undefined; readonly checkTime: () => void },
): number[] {
  const { documents, total, checkTime } = parts;
  const counters = asked.map(({ match }) => counterOf(match));
  const looked = ids.map((id, at) => {
    if (at % 64 === 0) checkTime();
    return { id, ...countsIn(getSearchable(documents, id), counters) };
  });
  const averageLength = looked.reduce((sum, { length }) => sum + length, 0) / Math.max(1, looked.length);
  const newestMs = Math.max(...looked.map(({ createdMs }) => createdMs));
  const rarity = asked.map(({ entries }) =>
    total === undefined ? 1 : Math.log(2 + Math.max(0, total - entries) / (entries + 0.5)),
  );
  const scored = looked.map(({ id, createdMs, length, counts }) => {
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

/** How often something occurs among words; of a name with a wildcard across its words, nothing is counted. */
function counterOf(match: TextMatch): Counter {
  if (match.kind === 'phrase') return (words) => startsOfRun(words, match.words).length;
  if (match.kind === 'fuzzy') {
    return (words) => words.filter((word) => distance(word, match.word) <= match.maxDistance).length;
  }
  const passes = patternTest(match.pattern);
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
        counts[at] = (counts[at] as number) + weights[field] * counter(words);
      }
    }
  }
  return { createdMs: entry.view.createdDate, length, counts };
}
