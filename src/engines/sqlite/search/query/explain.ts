import { distance } from 'fastest-levenshtein';
import type { ExplainedPart, SearchExplanation } from '../../../../search/search-index.port.js';
import { valueKinds } from '../../../facet-terms.js';
import { fields, type Kind, kinds } from '../../../search-terms.js';
import type { CompiledClause } from './compile-query.js';
import type { Dictionary } from './dictionary.js';
import type { EntrySet } from './entry-set.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** Maximum number of named terms per expansion. */
const maxNamedTerms = 100;
const maxSuggestions = 5;
/** Maximum number of query parts, and of words per part, for which suggestions are searched. */
const maxSuggestedParts = 5;
const maxSuggestedWords = 2;
const maxDistance = 2;

export interface ExplainDeps {
  find(clauses: readonly CompiledClause[]): EntrySet;
  /** Returns whether any entry currently contains this term. The dictionary keeps terms that edits have removed. */
  occurs(kind: Kind, name: string): boolean;
  readonly dictionary: Dictionary;
  /** Entries whose current version is not indexed. */
  readonly unindexed: readonly UnindexedEntry[];
  /** Whether index terms may be named. */
  readonly mayNameTerms: boolean;
  readonly checkTime: () => void;
}

/** Explains how the parts of a query were interpreted and, when there is no match, which part is the reason. */
export function explain(clauses: readonly CompiledClause[], hitCount: number, deps: ExplainDeps): SearchExplanation {
  const { find, unindexed, mayNameTerms, checkTime } = deps;
  let unmatchedParts = 0;
  const parts = clauses.map((clause): ExplainedPart => {
    const { key, value, interpretedAs, excluded, expansion } = clause;
    const terms = mayNameTerms &&
      expansion && [...new Set([...expansion.indexed, ...unindexed.flatMap((entry) => expansion.in(entry))])];
    const alone = find([{ ...clause, excluded: false }]).count;
    checkTime();
    const suggestions =
      mayNameTerms && alone === 0 && unmatchedParts < maxSuggestedParts ? findSuggestions(clause, deps) : [];
    if (alone === 0) unmatchedParts += 1;
    return {
      key,
      value,
      interpretedAs,
      excluded,
      hitCount: alone,
      ...(terms && { expansion: { count: terms.length, terms: terms.slice(0, maxNamedTerms) } }),
      ...(suggestions.length > 0 && { suggestions }),
    };
  });
  if (hitCount > 0) return { parts };
  const withoutMatch = parts.findIndex((part) => !part.excluded && part.hitCount === 0);
  if (withoutMatch >= 0) return { parts, unmatchedPart: withoutMatch };
  // Each part alone has matches: find the first part that has no match in common with the preceding ones.
  const last = clauses.findIndex((_, at) => find(clauses.slice(0, at + 1)).count === 0);
  return last < 0 ? { parts } : { parts, unmatchedPart: last };
}

/** Finds values or words in the index that are spelled like those of a clause. */
function findSuggestions({ key, value, interpretedAs }: CompiledClause, deps: ExplainDeps): string[] {
  const kind = key in valueKinds ? valueKinds[key as keyof typeof valueKinds] : undefined;
  if (interpretedAs === 'values' && kind !== undefined) return suggestValues(kind, value.split(', '), deps);
  if (interpretedAs !== 'word' && interpretedAs !== 'phrase' && interpretedAs !== 'fuzzy') return [];
  return value
    .split(' ')
    .filter((word) => !deps.occurs(kinds.word, word))
    .slice(0, maxSuggestedWords)
    .flatMap((word) => suggestWords(word, deps));
}

function suggestValues(
  kind: Kind,
  wanted: readonly string[],
  { dictionary, unindexed, occurs }: ExplainDeps,
): string[] {
  const labels = new Map(dictionary.list(kind).map(({ name, label }) => [name, label]));
  for (const entry of unindexed) for (const [name, label] of entry.labels(kind)) labels.set(name, label);
  const values = Array.from(labels, ([name, label]) => ({
    name,
    label,
    far: Math.min(...wanted.map((one) => distance(one, name))),
  }))
    .filter(({ label, far }) => far <= Math.max(maxDistance, label.length / 3))
    .sort((one, other) => one.far - other.far);
  return takeFirst(values, maxSuggestions, ({ name }) => occurs(kind, name)).map(({ label }) => label);
}

function suggestWords(word: string, { dictionary, unindexed, occurs }: ExplainDeps): string[] {
  const isNear = (name: string) =>
    Math.abs(name.length - word.length) <= maxDistance && distance(name, word) <= maxDistance;
  const names = new Set([
    ...dictionary.near(word, maxDistance).map(({ name }) => name),
    ...unindexed.flatMap((entry) => Object.values(fields).flatMap((field) => entry.filter(kinds.word, field, isNear))),
  ]);
  const closestFirst = Array.from(names, (name) => ({ name, far: distance(name, word) })).sort(
    (one, other) => one.far - other.far || (one.name < other.name ? -1 : 1),
  );
  return takeFirst(closestFirst, maxSuggestions, ({ name }) => occurs(kinds.word, name)).map(({ name }) => name);
}

/** Returns the first `count` items that pass, testing no more items than needed. */
function takeFirst<T>(items: readonly T[], count: number, passes: (item: T) => boolean): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    if (passes(item)) first.push(item);
  }
  return first;
}
