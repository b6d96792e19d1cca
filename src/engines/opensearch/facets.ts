import { groupPropertyName } from '../../entries/entry.js';
import { foldCase } from '../../kernel/text.js';
import type { Facet, Query } from '../../search/query.js';
import type { FacetOptions, SearchFacets, ValueCounts } from '../../search/search-index.port.js';
import { facetKinds } from '../facet-terms.js';
import { allOf, type CompiledClause, compileQuery, type Filter } from './compile-query.js';
import type { ShownValues } from './index-document.js';
import { valueFields } from './index-mapping.js';
import { type Answer, type Bucket, type IndexSnapshot, lastStored, newestIn } from './search-requests.js';
import { countByTime } from './time-histogram.js';

const maxValues = 1_000;
/** Maximum number of distinct values per request; more are counted in several requests. */
const valuesAtOnce = 10_000;

/** Values of a document in their original spelling, by facet. */
export const shownIn: Readonly<Record<Facet, (shown: ShownValues) => readonly string[]>> = {
  logbooks: (shown) => shown.logbooks,
  tags: (shown) => shown.tags,
  levels: (shown) => [shown.level],
  owners: (shown) => [shown.owner],
  devices: (shown) => shown.devices,
  properties: (shown) => shown.properties,
};
const names = Object.keys(shownIn) as Facet[];

const fieldOf = (facet: Facet) => valueFields[facetKinds[facet]];

/**
 * Property names that are not counted: empty names, and the property that links entries, which users do not search for.
 */
const uncounted: ReadonlySet<string> = new Set(['', foldCase(groupPropertyName)]);

/** Counts the values of the matching documents. */
export async function countFacets(snapshot: IndexSnapshot, query: Query, options: FacetOptions): Promise<SearchFacets> {
  const clauses = compileQuery(query);
  const found = allOf(clauses, query);
  const filterOf = (facet: Facet) => (options.excludeOwn ? allOf(without(clauses, facet), query) : found);
  const answers = await snapshot.searchAll(
    names.map((facet) => ({ filter: filterOf(facet), aggregations: countOf(fieldOf(facet)) })),
  );
  const values = await Promise.all(
    names.map((facet, at) => toCounts(snapshot, facet, filterOf(facet), answers[at] as Answer)),
  );
  const counts = Object.fromEntries(names.map((facet, at) => [facet, values[at]])) as Record<Facet, ValueCounts>;
  const time = await countByTime(snapshot, found, counts.levels, options, query.zone);
  return { ...counts, hitCount: time.hitCount, time: time.histogram };
}

function without(clauses: readonly CompiledClause[], facet: Facet): CompiledClause[] {
  return clauses.filter(({ key }) => key !== facet);
}

function countOf(field: string) {
  const order = [{ _count: 'desc' }, { _key: 'asc' }];
  return { values: { terms: { field, size: valuesAtOnce, order } } };
}

async function toCounts(
  snapshot: IndexSnapshot,
  facet: Facet,
  filter: Filter,
  { aggregations }: Answer,
): Promise<ValueCounts> {
  const field = fieldOf(facet);
  const { buckets = [], sum_other_doc_count: others = 0 } = aggregations.values ?? {};
  const distinct = others > 0 ? await countValues(snapshot, filter, field) : buckets.length;
  const counted = buckets.filter(({ key }) => facet !== 'properties' || !uncounted.has(String(key)));
  const omitted = facet === 'properties' ? buckets.length - counted.length : 0;
  const best = counted.slice(0, maxValues);
  const spellings = await readSpellings(snapshot, facet, filter, best);
  return {
    distinct: distinct - omitted,
    values: best.map(({ key, doc_count: count }) => ({ name: spellings.get(String(key)) ?? String(key), count })),
  };
}

/** Returns the spelling of each value in the matching document that was stored last. */
async function readSpellings(
  snapshot: IndexSnapshot,
  facet: Facet,
  filter: Filter,
  values: readonly Bucket[],
): Promise<Map<string, string>> {
  if (values.length === 0) return new Map();
  const field = fieldOf(facet);
  const include = values.map(({ key }) => key);
  const { aggregations } = await snapshot.search({
    filter,
    aggregations: { values: { terms: { field, include, size: include.length }, aggs: lastStored } },
  });
  const spellings = new Map<string, string>();
  for (const bucket of aggregations.values?.buckets ?? []) {
    const shown = newestIn(bucket)?.shown;
    const spelling = shown && shownIn[facet](shown).find((value) => foldCase(value) === bucket.key);
    if (spelling !== undefined) spellings.set(String(bucket.key), spelling);
  }
  return spellings;
}

async function countValues(snapshot: IndexSnapshot, filter: Filter, field: string): Promise<number> {
  let count = 0;
  for (let after: object | undefined; ; ) {
    const sources = [{ value: { terms: { field } } }];
    const composite = { size: valuesAtOnce, sources, ...(after && { after }) };
    const { aggregations } = await snapshot.search({ filter, aggregations: { values: { composite } } });
    const { buckets = [], after_key: last } = aggregations.values ?? {};
    count += buckets.length;
    if (buckets.length < valuesAtOnce) return count;
    after = last;
  }
}
