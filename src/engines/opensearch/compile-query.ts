import { distance } from 'fastest-levenshtein';
import type { TextMatch } from '../../../packages/search-language/search-text.js';
import { isForWords, wildcardTest } from '../../../packages/search-language/wildcard.js';
import type { Query, TimeWindow } from '../../search/query.js';
import { isFoundByWord, readable, type TermPattern } from '../facet-terms.js';
import {
  allFields,
  type Clause,
  type Interpretation as ClauseInterpretation,
  compileClauses,
} from '../query-clauses.js';
import { type Field, kinds } from '../search-terms.js';
import { phraseWord } from './index-document.js';
import { allNames, allWords, namesIn, phrasesIn, type ValueKind, valueFields, wordsIn } from './index-mapping.js';
import { nearExpression, wildcardExpression, wordExpressions } from './term-expressions.js';

/** A condition on documents in the query language of OpenSearch. */
export type Filter = Readonly<Record<string, object>>;

/** Terms that a wildcard or a fuzzy word matches. */
export interface Expansion {
  /** Fields of the terms, each with a Lucene regular expression that may also match other terms. */
  readonly terms: readonly { readonly field: string; readonly expression: string }[];
  passes(name: string): boolean;
}

export type CompiledClause = Clause<Filter, Expansion>;

type Interpretation = ClauseInterpretation<Filter, Expansion>;

export function compileQuery(query: Query): CompiledClause[] {
  return compileClauses<Filter, Expansion>(query, {
    text: compileText,
    values: compileValues,
    flag: (flag) => ({ term: { [valueFields[kinds.flag]]: flag } }),
    window: compileWindow,
    allOf: (filters) => ({ bool: { filter: filters } }),
    anyOf,
  });
}

/** Matches all entries, and none of the other documents of an index. */
const isEntry: Filter = { term: { [valueFields[kinds.flag]]: 'any' } };

/** Returns a filter for documents that match all clauses, are in no hidden logbook and existed at `asOf`. */
export function allOf(
  clauses: readonly Pick<CompiledClause, 'condition' | 'excluded'>[],
  { hiddenLogbooks, asOf }: Pick<Query, 'hiddenLogbooks' | 'asOf'>,
): Filter {
  const wanted = clauses.filter(({ excluded }) => !excluded).map(({ condition }) => condition);
  const unwanted = clauses.filter(({ excluded }) => excluded).map(({ condition }) => condition);
  if (hiddenLogbooks.length > 0) unwanted.push({ terms: { [valueFields[kinds.logbook]]: [...hiddenLogbooks] } });
  if (asOf !== undefined) wanted.push({ range: { id: { lte: asOf } } });
  // A condition on a field already excludes documents that are not entries. OpenSearch counts the matches of a single
  // condition without visiting each document.
  const isOfEntries = wanted.some((condition) => !('bool' in condition));
  return { bool: { filter: isOfEntries ? wanted : [isEntry, ...wanted], must_not: unwanted } };
}

/** Returns a filter for documents that match any of these filters. */
export function anyOf(filters: readonly Filter[]): Filter {
  const [first] = filters;
  return first && filters.length === 1 ? first : { bool: { should: filters, minimum_should_match: 1 } };
}

export function compileText(match: TextMatch, inFields: readonly Field[]): Interpretation {
  const isAnywhere = inFields.length === allFields.length;
  const words = isAnywhere ? [allWords] : inFields.map(wordsIn);
  if (match.kind === 'phrase') return compilePhrase(match.words, words, inFields);
  if (match.kind === 'fuzzy') {
    const { word, maxDistance } = match;
    const expression = nearExpression(word, maxDistance);
    return {
      value: word,
      interpretedAs: 'fuzzy',
      expansion: {
        terms: allFields.map((field) => ({ field: wordsIn(field), expression })),
        passes: (name) => distance(name, word) <= maxDistance,
      },
      condition: anyOf(words.map((field) => ({ fuzzy: { [field]: fuzzyTo(word, maxDistance) } }))),
    };
  }
  const { pattern } = match;
  const names = isForWords(pattern) ? [] : isAnywhere ? [allNames] : inFields.map(namesIn);
  const expanded = allFields.flatMap((field) =>
    isForWords(pattern) ? [wordsIn(field)] : [wordsIn(field), namesIn(field)],
  );
  return {
    value: pattern,
    interpretedAs: 'wildcard',
    expansion: {
      terms: expanded.map((field) => ({ field, expression: wildcardExpression(pattern) })),
      passes: wildcardTest(pattern),
    },
    condition: anyOf([...words, ...names].map((field) => wildcardOn(field, pattern))),
  };
}

function compilePhrase(
  phrase: readonly string[],
  words: readonly string[],
  inFields: readonly Field[],
): Interpretation {
  const [word = '', ...more] = phrase;
  if (more.length === 0) {
    return {
      value: word,
      interpretedAs: 'word',
      condition: anyOf(words.map((field) => ({ term: { [field]: word } }))),
    };
  }
  const text = phrase.map(phraseWord).join(' ');
  return {
    value: phrase.join(' '),
    interpretedAs: 'phrase',
    condition: anyOf(inFields.map((field) => ({ match_phrase: { [phrasesIn(field)]: text } }))),
  };
}

function fuzzyTo(word: string, maxDistance: number): object {
  // Transpositions are off, and the rewrite includes all terms instead of only the best fifty.
  return { value: word, fuzziness: maxDistance, prefix_length: 0, transpositions: false, rewrite: 'constant_score' };
}

function wildcardOn(field: string, pattern: string): Filter {
  return { wildcard: { [field]: { value: pattern.replaceAll('\\', '\\\\'), rewrite: 'constant_score' } } };
}

function compileValues(patterns: readonly TermPattern[]): Interpretation {
  const distinct = Array.from(new Map(patterns.map((one) => [`${one[0]} ${one[1].text}`, one])).values());
  const wildcards = distinct.filter(([, { hasWildcards }]) => hasWildcards);
  const exact = new Map<string, string[]>();
  for (const [kind, { text, hasWildcards }] of distinct) {
    if (hasWildcards) continue;
    const field = valueFields[kind as ValueKind];
    exact.set(field, [...(exact.get(field) ?? []), text]);
  }
  const tests = wildcards.map(([, { text }]) => wildcardTest(text));
  return {
    value: patterns.map(([, { text }]) => readable(text)).join(', '),
    interpretedAs: 'values',
    ...(wildcards.length > 0 && {
      expansion: {
        terms: wildcards.map(([kind, { text }]) => ({
          field: valueFields[kind as ValueKind],
          expression: wildcardExpression(text),
        })),
        passes: (name) => tests.some((passes) => passes(name)),
      },
    }),
    condition: anyOf([
      ...Array.from(exact, ([field, texts]) => ({ terms: { [field]: texts } })),
      ...wildcards.map(([kind, { text }]) => wildcardOn(valueFields[kind as ValueKind], text)),
      ...byWord(distinct),
    ]),
  };
}

function byWord(patterns: readonly TermPattern[]): Filter[] {
  const found = patterns.filter(([kind]) => isFoundByWord(kind));
  return Array.from(new Set(found.map(([kind]) => kind))).flatMap((kind) => {
    const texts = found.filter(([other]) => other === kind).map(([, { text }]) => text);
    return wordExpressions(texts).map((value) => ({
      regexp: { [valueFields[kind as ValueKind]]: { value, rewrite: 'constant_score' } },
    }));
  });
}

function compileWindow({ startMs, endMs, includeEvents }: TimeWindow): Filter {
  const range = { ...(startMs !== undefined && { gte: startMs }), ...(endMs !== undefined && { lte: endMs }) };
  const created = { range: { created: range } };
  return includeEvents ? anyOf([created, { range: { event: range } }]) : created;
}
