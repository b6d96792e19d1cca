import { parseQuery, type QueryDefaults } from '../../search/parse-query.js';
import type { Query } from '../../search/query.js';

/**
 * Parses the query of a watch, written as the parameters of a URL.
 * @throws Fault invalid with a `search.…` code
 */
export function parseWatchedQuery(text: string, defaults: QueryDefaults): Query {
  const params: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) params[name] = [...(params[name] ?? []), value];
  // The moment of an earlier search, and what shows its results, select nothing.
  const { asOf: _asOf, ...query } = parseQuery(params, defaults);
  return query;
}
