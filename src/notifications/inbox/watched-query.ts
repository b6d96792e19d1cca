import { parseQuery, type QueryDefaults } from '../../search/parse-query.js';
import type { Query } from '../../search/query.js';

/**
 * Parses the query of a watch, written as the parameters of a URL.
 * @throws Fault invalid with a `search.…` code
 */
export function parseWatchedQuery(text: string, defaults: QueryDefaults): Query {
  const sent = new URLSearchParams(text);
  // Uses `Object.fromEntries` instead of assignments, because a parameter may be called `__proto__`.
  const params = Object.fromEntries([...new Set(sent.keys())].map((name) => [name, sent.getAll(name)]));
  // `asOf` belongs to an earlier search and does not select entries.
  const { asOf: _asOf, ...query } = parseQuery(params, defaults);
  return query;
}
