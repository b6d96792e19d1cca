import {
  AndFilter,
  type Entry,
  type Filter,
  FilterParser,
  GreaterThanEqualsFilter,
  NotFilter,
  SizeLimitExceededError,
} from 'ldapts';
import type { LdapConnection } from './ldap-connection.js';
import { textsOf } from './ldap-values.js';

/** A unique, ordered attribute of every entry (RFC 4530). */
const splitAttribute = 'entryUUID';
/** Maximum size of a sample. Servers with a lower limit return fewer entries, but only the distribution matters. */
const sampleSize = 1_000;
/** Maximum number of divided searches. Each part of a divided search returns about 250 entries or more. */
const maxSearches = 200;

interface SubtreeSearch {
  readonly base: string;
  readonly filter: string | Filter;
  readonly attributes: readonly string[];
}

/**
 * Finds all entries, even if the server returns fewer for one search: OpenLDAP limits the sum of all pages, by default
 * to 500. The search is then divided until each part is below the limit.
 * @throws SizeLimitExceededError when the server does not support that, or has too many entries
 */
export async function searchBeyondLimit(connection: LdapConnection, search: SubtreeSearch): Promise<Entry[]> {
  const { filter } = search;
  const parts: Filter[] = [typeof filter === 'string' ? FilterParser.parseString(filter) : filter];
  const found: Entry[] = [];
  let searches = 0;
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      found.push(...(await connection.searchAll({ ...search, scope: 'sub', filter: part })));
    } catch (error) {
      searches++;
      const pivot =
        error instanceof SizeLimitExceededError ? await findPivot(connection, search.base, part) : undefined;
      if (pivot === undefined || searches > maxSearches) throw error;
      const above = new GreaterThanEqualsFilter({ attribute: splitAttribute, value: pivot });
      parts.push(
        new AndFilter({ filters: [part, above] }),
        new AndFilter({ filters: [part, new NotFilter({ filter: above })] }),
      );
    }
  }
  return found;
}

/** Returns a value with entries on both sides; undefined when the server reveals none. */
async function findPivot(connection: LdapConnection, base: string, filter: Filter): Promise<string | undefined> {
  const sample = await connection.search({
    base,
    scope: 'sub',
    filter,
    attributes: [splitAttribute],
    maxEntries: sampleSize,
  });
  const values = sample.flatMap((entry) => textsOf(entry, splitAttribute)).sort();
  const middle = values[Math.floor(values.length / 2)];
  return middle === values[0] ? undefined : middle;
}
