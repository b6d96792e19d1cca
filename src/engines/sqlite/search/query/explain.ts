import { distance } from 'fastest-levenshtein';
import type { Query } from '../../../../search/query.js';
import type { ExplainedPart, SearchExplanation } from '../../../../search/search-index.port.js';
import { fields, type Kind, kinds } from '../index/terms.js';
import type { CompiledClause } from './compile-query.js';
import type { EntrySet } from './creation-order.js';
import type { Dictionary } from './dictionary.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** Of what a wildcard was expanded to, so many terms are named. */
const namedTerms = 100;
const nearestTerms = 5;
/** For so many parts, and words of one, what is near is looked for. */
const maxLooked = 5;
const wordsLooked = 2;
const maxDistance = 2;

const valueKinds: Partial<Record<keyof Query, Kind>> = {
  owners: kinds.owner,
  levels: kinds.level,
  logbooks: kinds.logbook,
  tags: kinds.tag,
};

/**
 * How the parts of a query were read, and why there is no match when there is none.
 * @param find the entries that meet some of the parts
 * @param isThere whether an entry has a term now; of words that an edit took away, the index still knows
 * @param fresh the entries that the index does not know as they are now
 * @param namesWords whether words that the index has may be told
 */
export function explain(
  parts: readonly CompiledClause[],
  hitCount: number,
  find: (parts: readonly CompiledClause[]) => EntrySet,
  isThere: (kind: Kind, name: string) => boolean,
  dictionary: Dictionary,
  fresh: readonly UnindexedEntry[],
  namesWords: boolean,
  checkTime: () => void,
): SearchExplanation {
  let looked = 0;
  const explained = parts.map((part): ExplainedPart => {
    const { key, asked, interpretedAs, excluded, expansion } = part;
    const terms = namesWords &&
      expansion && [...new Set([...expansion.indexed, ...fresh.flatMap((entry) => expansion.in(entry))])];
    const alone = find([{ ...part, excluded: false }]).count;
    checkTime();
    const nearest = namesWords && alone === 0 && looked < maxLooked ? nearestTo(part, dictionary, isThere, fresh) : [];
    if (alone === 0) looked += 1;
    return {
      key,
      asked,
      interpretedAs,
      excluded,
      hitCount: alone,
      ...(terms && { expansion: { count: terms.length, terms: terms.slice(0, namedTerms) } }),
      ...(nearest.length > 0 && { nearest }),
    };
  });
  if (hitCount > 0) return { parts: explained };
  const unmatchedPart = explained.findIndex((part) => !part.excluded && part.hitCount === 0);
  if (unmatchedPart >= 0) return { parts: explained, unmatchedPart };
  // Each has matches of its own: the one that has none in common with those before it.
  const last = parts.findIndex((_, at) => find(parts.slice(0, at + 1)).count === 0);
  return last < 0 ? { parts: explained } : { parts: explained, unmatchedPart: last };
}

/** What there is in place of what there is not. */
function nearestTo(
  { key, asked, interpretedAs }: CompiledClause,
  dictionary: Dictionary,
  isThere: (kind: Kind, name: string) => boolean,
  fresh: readonly UnindexedEntry[],
): string[] {
  const kind = valueKinds[key];
  if (interpretedAs === 'values' && kind !== undefined) {
    const labels = new Map(dictionary.list(kind).map(({ name, label }) => [name, label]));
    for (const entry of fresh) for (const [name, label] of entry.labels(kind)) labels.set(name, label);
    const values = Array.from(labels, ([name, label]) => ({
      name,
      label,
      far: Math.min(...asked.split(', ').map((one) => distance(one, name))),
    }))
      .filter(({ label, far }) => far <= Math.max(maxDistance, label.length / 3))
      .sort((one, other) => one.far - other.far);
    return firstOf(values, nearestTerms, ({ name }) => isThere(kind, name)).map(({ label }) => label);
  }
  if (interpretedAs !== 'word' && interpretedAs !== 'phrase' && interpretedAs !== 'fuzzy') return [];
  return asked
    .split(' ')
    .filter((word) => !isThere(kinds.word, word))
    .slice(0, wordsLooked)
    .flatMap((word) => {
      const isNear = (name: string) =>
        Math.abs(name.length - word.length) <= maxDistance && distance(name, word) <= maxDistance;
      const names = new Set([
        ...dictionary.near(word, maxDistance).map(({ name }) => name),
        ...fresh.flatMap((entry) => Object.values(fields).flatMap((field) => entry.filter(kinds.word, field, isNear))),
      ]);
      const nearestFirst = Array.from(names, (name) => ({ name, far: distance(name, word) })).sort(
        (one, other) => one.far - other.far || (one.name < other.name ? -1 : 1),
      );
      return firstOf(nearestFirst, nearestTerms, ({ name }) => isThere(kinds.word, name)).map(({ name }) => name);
    });
}

function firstOf<T>(items: readonly T[], most: number, passes: (item: T) => boolean): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === most) break;
    if (passes(item)) first.push(item);
  }
  return first;
}
