import { groupAttributeName, groupPropertyName } from '../entries/entry.js';
import { foldCase } from '../kernel/text.js';
import type { Pattern, Query } from './query.js';

/** Returns the search for the entries of a group, oldest first, with the page and the reader of `query`. */
export function groupQuery(groupId: string, query: Query): Query {
  const exactly = (text: string): Pattern => ({ text: foldCase(text.trim()), hasWildcards: false });
  return {
    ...query,
    properties: [{ name: exactly(groupPropertyName), attribute: exactly(groupAttributeName), value: exactly(groupId) }],
    sort: 'oldest',
  };
}
