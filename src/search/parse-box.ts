import {
  type FilterKey,
  parseQueryText,
  type QueryFlag,
  type QueryToken,
} from '../../packages/search-language/query-text.js';
import { parsePhrase, type TextMatch } from '../../packages/search-language/search-text.js';
import { Fault } from '../kernel/fault.js';
import { checkQuotes, parseWords } from './parse-search-text.js';
import { checkValueCount } from './parse-values.js';
import type { FlagFilter, ValueFilter } from './query.js';
import { parseLists } from './value-filters.js';

/** Content of the search box, see `parseQueryText`. */
export interface BoxText {
  readonly anywhere: readonly TextMatch[];
  readonly excluded: readonly TextMatch[];
  readonly flags: readonly FlagFilter[];
  readonly filters: readonly ValueFilter[];
  /** Times as written. The earliest start and the latest end apply. */
  readonly starts: readonly string[];
  readonly ends: readonly string[];
}

const flagsByText: Readonly<Record<QueryFlag, FlagFilter['flag']>> = {
  'has:attachment': 'attachment',
  'is:reply': 'reply',
  'is:edited': 'edited',
  'is:automatic': 'automatic',
  'is:running': 'running',
  'is:done': 'done',
  'is:failed': 'failed',
  'is:abandoned': 'abandoned',
};

type FilterToken = Extract<QueryToken, { kind: 'filter' }>;

/** @throws Fault invalid `search.…` */
export function parseBox(value: string, fuzzy: boolean): BoxText {
  checkQuotes(value);
  const anywhere: TextMatch[] = [];
  const excluded: TextMatch[] = [];
  const flags: FlagFilter[] = [];
  const filters: FilterToken[] = [];
  for (const token of parseQueryText(value)) {
    if (token.kind === 'filter') filters.push(token);
    else if (token.kind === 'flag') flags.push({ flag: flagsByText[token.flag], wanted: !token.excluded });
    else {
      // Excluded words are never fuzzy, because similar words must not be excluded.
      const matches =
        token.kind === 'phrase' ? parsePhrase(token.text) : parseWords(token.text, fuzzy && !token.excluded);
      (token.excluded ? excluded : anywhere).push(...matches);
    }
  }
  return {
    anywhere,
    excluded,
    flags,
    filters: [false, true].flatMap((isExcluded) =>
      toFilters(
        filters.filter((token) => token.excluded === isExcluded),
        fuzzy && !isExcluded,
      ),
    ),
    starts: timesOf(filters, 'start'),
    ends: timesOf(filters, 'end'),
  };
}

/** @throws Fault invalid `search.bad-exclusion` */
function timesOf(tokens: readonly FilterToken[], key: 'start' | 'end'): string[] {
  const times = tokens.filter((token) => token.key === key && token.values.length > 0);
  if (times.some(({ excluded }) => excluded)) {
    throw new Fault(
      'invalid',
      'search.bad-exclusion',
      `“-${key}=” excludes nothing. Use “${key === 'start' ? 'end' : 'start'}=” without “-” for the opposite.`,
    );
  }
  return times.flatMap(({ values }) => values);
}

/** @param tokens all excluded or none */
function toFilters(tokens: readonly FilterToken[], fuzzy: boolean): ValueFilter[] {
  const excluded = tokens.some((token) => token.excluded);
  const valuesOf = (key: FilterKey) => {
    const values = tokens.filter((token) => token.key === key).flatMap((token) => token.values);
    checkValueCount(values.length);
    return values;
  };
  const filters: ValueFilter[] = [
    ...parseLists(({ boxKey }) => valuesOf(boxKey)).map((list) => ({ ...list, excluded })),
    { key: 'title', patterns: titlesOf(valuesOf('title'), fuzzy), excluded },
  ];
  return filters.filter((filter) => filter.patterns.length > 0);
}

/**
 * Returns the matches that the title must contain: one item for each value, with all words of the value. A value with
 * spaces is a phrase.
 */
function titlesOf(values: readonly string[], fuzzy: boolean): (readonly TextMatch[])[] {
  return values
    .map((value) => (/\s/.test(value) ? parsePhrase(value) : parseWords(value, fuzzy)))
    .filter((matches) => matches.length > 0);
}
