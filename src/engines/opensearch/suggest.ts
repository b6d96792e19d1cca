import type { Entry } from '../../entries/entry.js';
import type { ValueCount } from '../../search/search-index.port.js';
import type { SuggestRequest } from '../../search/suggestions.js';
import { findSpelling } from '../find-spelling.js';
import { kinds } from '../search-terms.js';
import { isSuggested, suggestRange } from '../suggest-range.js';
import { allOf } from './compile-query.js';
import { type ValueKind, valueFields, wordsIn } from './index-mapping.js';
import { type IndexSnapshot, lastStored, newestIn } from './search-requests.js';
import { literalExpression } from './term-expressions.js';

/** Number of additional values requested, because `isSuggested` may exclude some. */
const hiddenValues = 8;

/** Returns the most frequent values with the prefix among visible entries, with exact counts. */
export async function suggest(
  snapshot: IndexSnapshot,
  request: SuggestRequest,
  readEntry: (id: number) => Promise<Entry | undefined>,
): Promise<ValueCount[]> {
  const range = suggestRange(request);
  const { kind, field, prefix } = range;
  const name = kind === kinds.word ? wordsIn(field) : valueFields[kind as ValueKind];
  const size = request.size + hiddenValues;
  const include = prefix === '' ? {} : { include: `${literalExpression(prefix)}.*` };
  const order = [{ _count: 'desc' }, { _key: 'asc' }];
  const { aggregations } = await snapshot.search({
    filter: {
      bool: { filter: [allOf([], { hiddenLogbooks: request.hiddenLogbooks }), { prefix: { [name]: prefix } }] },
    },
    aggregations: { values: { terms: { field: name, size, order, ...include }, aggs: lastStored } },
  });
  const best = (aggregations.values?.buckets ?? [])
    .filter(({ key }) => isSuggested(kind, String(key)))
    .slice(0, request.size);
  return Promise.all(
    best.map(async (bucket) => {
      const newest = newestIn(bucket);
      const entry = newest && (await readEntry(newest.id));
      return {
        name: entry ? findSpelling(entry, kind, field, String(bucket.key)) : String(bucket.key),
        count: bucket.doc_count,
      };
    }),
  );
}
