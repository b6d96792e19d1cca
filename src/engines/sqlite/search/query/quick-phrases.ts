import type { Query, QueryTexts } from '../../../../search/query.js';
import { usedLists } from '../../../../search/value-filters.js';
import { fieldsOf } from '../../../query-clauses.js';
import type { Field } from '../../../search-terms.js';

/** Maximum number of lists that a search may read, one per word and field. */
const maxLists = 48;

/** A word, or several adjacent words, in any of the given fields. */
export interface QuickPhrase {
  readonly words: readonly string[];
  readonly inFields: readonly Field[];
}

/** Returns the phrases of a search; undefined if it has other conditions, or hides entries from its user. */
export function quickPhrases(query: Query): QuickPhrase[] | undefined {
  const { excluded, flags, filters, window, hiddenLogbooks, asOf, perGroup, sort } = query;
  const hasMore = [excluded, flags, filters, hiddenLogbooks, usedLists(query)].some(({ length }) => length > 0);
  if (hasMore || window || asOf !== undefined || perGroup || sort === 'relevance') return undefined;
  const phrases: QuickPhrase[] = [];
  for (const key of Object.keys(fieldsOf) as (keyof QueryTexts)[]) {
    for (const match of query[key]) {
      if (match.kind !== 'phrase') return undefined;
      phrases.push({ words: match.words, inFields: fieldsOf[key] });
    }
  }
  const lists = phrases.reduce((sum, { words, inFields }) => sum + words.length * inFields.length, 0);
  return lists === 0 || lists > maxLists ? undefined : phrases;
}
