import { anyOf, type Filter } from './compile-query.js';
import { type IndexSnapshot, newestIn, newestShown } from './search-requests.js';

/** Maximum number of groups per request. */
const groupsAtATime = 5_000;

/** Returns a filter for documents that are in no group, or are the newest match of their group. */
export async function newestOfGroups(snapshot: IndexSnapshot, filter: Filter): Promise<Filter> {
  const newest: number[] = [];
  const inGroup: Filter = { bool: { filter: [filter, { exists: { field: 'thread' } }] } };
  for (let after: object | undefined; ; ) {
    const { aggregations } = await snapshot.search({
      filter: inGroup,
      aggregations: {
        threads: {
          composite: {
            size: groupsAtATime,
            sources: [{ thread: { terms: { field: 'thread' } } }],
            ...(after && { after }),
          },
          aggs: newestShown,
        },
      },
    });
    const { buckets = [], after_key: last } = aggregations.threads ?? {};
    for (const bucket of buckets) {
      const found = newestIn(bucket);
      if (found) newest.push(found.id);
    }
    if (buckets.length < groupsAtATime) break;
    after = last;
  }
  const alone: Filter = { bool: { must_not: [{ exists: { field: 'thread' } }] } };
  return { bool: { filter: [filter, anyOf([alone, { terms: { id: newest } }])] } };
}
