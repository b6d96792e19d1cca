import { distance } from 'fastest-levenshtein';
import { foldCase } from '../../kernel/text.js';
import type { Query } from '../../search/query.js';
import type { ExplainedPart, SearchExplanation } from '../../search/search-index.port.js';
import { readable, valueKinds } from '../facet-terms.js';
import { type Field, fields } from '../search-terms.js';
import { allOf, type CompiledClause, type Expansion } from './compile-query.js';
import { shownIn } from './facets.js';
import { allWords, valueFields, wordsIn } from './index-mapping.js';
import { type Answer, type IndexSnapshot, lastStored, newestIn } from './search-requests.js';
import { nearExpression } from './term-expressions.js';

/** Maximum number of named terms per expansion. */
const maxNamedTerms = 100;
const maxSuggestions = 5;
/** Maximum number of query parts, and of words per part, for which suggestions are searched. */
const maxSuggestedParts = 5;
const maxSuggestedWords = 2;
const maxDistance = 2;
/** Maximum number of listed terms per field. */
const maxListed = 20_000;

type ExplainedKey = keyof typeof valueKinds;

/** Explains how the parts of a query were interpreted and, when there is no match, which part is the reason. */
export async function explain(
  snapshot: IndexSnapshot,
  query: Query,
  clauses: readonly CompiledClause[],
  hitCount: number,
): Promise<SearchExplanation> {
  const alone = await snapshot.searchAll(
    clauses.map((clause) => ({ filter: allOf([{ ...clause, excluded: false }], query) })),
  );
  // Index terms could reveal the contents of hidden entries.
  const mayNameTerms = query.hiddenLogbooks.length === 0;
  const unmatched = clauses.filter((_, at) => (alone[at] as Answer).count === 0).slice(0, maxSuggestedParts);
  const parts: ExplainedPart[] = [];
  for (const [at, clause] of clauses.entries()) {
    const { key, value, interpretedAs, excluded, expansion } = clause;
    const terms = mayNameTerms && expansion ? await listTerms(snapshot, query, expansion) : undefined;
    const suggestions =
      mayNameTerms && unmatched.includes(clause) ? await findSuggestions(snapshot, query, clause) : [];
    parts.push({
      key,
      value,
      interpretedAs,
      excluded,
      hitCount: (alone[at] as Answer).count,
      ...(terms && { expansion: { count: terms.length, terms: terms.slice(0, maxNamedTerms) } }),
      ...(suggestions.length > 0 && { suggestions }),
    });
  }
  if (hitCount > 0) return { parts };
  const withoutMatch = parts.findIndex((part) => !part.excluded && part.hitCount === 0);
  if (withoutMatch >= 0) return { parts, unmatchedPart: withoutMatch };
  // Each part alone has matches: find the first part that has no match in common with the preceding ones.
  const together = await snapshot.searchAll(
    clauses.map((_, at) => ({ filter: allOf(clauses.slice(0, at + 1), query) })),
  );
  const last = together.findIndex(({ count }) => count === 0);
  return last < 0 ? { parts } : { parts, unmatchedPart: last };
}

/** Lists the terms that match an expansion and occur in visible documents, sorted. */
async function listTerms(snapshot: IndexSnapshot, query: Query, { terms, passes }: Expansion): Promise<string[]> {
  const answers = await snapshot.searchAll(
    terms.map(({ field, expression }) => ({
      filter: allOf([], query),
      aggregations: { terms: { terms: { field, include: expression, size: maxListed, order: { _key: 'asc' } } } },
    })),
  );
  const found = answers.flatMap(({ aggregations }) =>
    (aggregations.terms?.buckets ?? []).map(({ key }) => String(key)),
  );
  return [...new Set(found.filter(passes))].sort().map(readable);
}

/** Finds values or words in the index that are spelled like those of a clause. */
async function findSuggestions(
  snapshot: IndexSnapshot,
  query: Query,
  { key, value, interpretedAs }: CompiledClause,
): Promise<string[]> {
  if (interpretedAs === 'values' && key in valueKinds) {
    return suggestValues(snapshot, query, key as ExplainedKey, value.split(', '));
  }
  if (interpretedAs !== 'word' && interpretedAs !== 'phrase' && interpretedAs !== 'fuzzy') return [];
  const words = value.split(' ');
  const occurrences = await snapshot.searchAll(
    words.map((word) => ({ filter: allOf([{ condition: { term: { [allWords]: word } }, excluded: false }], query) })),
  );
  const missing = words.filter((_, at) => occurrences[at]?.count === 0).slice(0, maxSuggestedWords);
  const found = await Promise.all(missing.map((word) => suggestWords(snapshot, query, word)));
  return found.flat();
}

async function suggestValues(
  snapshot: IndexSnapshot,
  query: Query,
  key: ExplainedKey,
  wanted: readonly string[],
): Promise<string[]> {
  const field = valueFields[valueKinds[key]];
  const filter = allOf([], query);
  const { aggregations } = await snapshot.search({
    filter,
    aggregations: { values: { terms: { field, size: maxListed, order: { _key: 'asc' } } } },
  });
  const nearest = (aggregations.values?.buckets ?? [])
    .map(({ key: name }) => ({
      name: String(name),
      far: Math.min(...wanted.map((one) => distance(one, String(name)))),
    }))
    .filter(({ name, far }) => far <= Math.max(maxDistance, name.length / 3))
    .sort((one, other) => one.far - other.far)
    .slice(0, maxSuggestions);
  if (nearest.length === 0) return [];
  const include = nearest.map(({ name }) => name);
  const spelled = await snapshot.search({
    filter,
    aggregations: { values: { terms: { field, include, size: include.length }, aggs: lastStored } },
  });
  const shown = new Map(
    (spelled.aggregations.values?.buckets ?? []).map((bucket) => [String(bucket.key), newestIn(bucket)?.shown]),
  );
  return include.map((name) => {
    const values = shown.get(name);
    return (values && shownIn[key](values).find((one) => foldCase(one) === name)) ?? name;
  });
}

async function suggestWords(snapshot: IndexSnapshot, query: Query, word: string): Promise<string[]> {
  const expression = nearExpression(word, maxDistance);
  const inFields: readonly Field[] = Object.values(fields);
  const answers = await snapshot.searchAll(
    inFields.map((field) => ({
      filter: allOf([], query),
      aggregations: { words: { terms: { field: wordsIn(field), include: expression, size: maxListed } } },
    })),
  );
  const names = new Set(
    answers.flatMap(({ aggregations }) => (aggregations.words?.buckets ?? []).map(({ key }) => String(key))),
  );
  return Array.from(names, (name) => ({ name, far: distance(name, word) }))
    .filter(({ far }) => far <= maxDistance)
    .sort((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}
