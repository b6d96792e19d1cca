import { foldCase } from '../../kernel/text.js';
import type { FacetOptions, SearchFacets, TimeBucket, ValueCounts } from '../../search/search-index.port.js';
import { bucketEdges, bucketSpan, chooseInterval } from '../../search/time-buckets.js';
import { kinds } from '../search-terms.js';
import type { Filter } from './compile-query.js';
import { valueFields } from './index-mapping.js';
import type { Bucket, IndexSnapshot } from './search-requests.js';

/** Maximum number of levels counted per bucket, the most frequent first. Users can invent levels. */
const maxLevels = 20;
/**
 * Number of time buckets per request. Including levels, this stays below the maximum number of buckets that a cluster
 * allows per response.
 */
const bucketsAtOnce = 1_000;

interface RangeBucket extends Bucket {
  readonly from?: number;
  readonly levels?: { readonly buckets: readonly Bucket[] };
}

/** Counts the matching documents: in total, by creation time, and by level within each time bucket. */
export async function countByTime(
  snapshot: IndexSnapshot,
  filter: Filter,
  levels: ValueCounts,
  { interval, buckets, cover }: FacetOptions,
  zone: string,
): Promise<{ hitCount: number; histogram: SearchFacets['time'] }> {
  const bounds = { first: { min: { field: 'created' } }, last: { max: { field: 'created' } } };
  const { count: hitCount, aggregations } = await snapshot.search({ filter, aggregations: bounds });
  const matches =
    hitCount === 0
      ? undefined
      : { firstMs: aggregations.first?.value as number, lastMs: aggregations.last?.value as number };
  const span = bucketSpan(matches, interval, cover);
  if (!span) {
    const none = { interval: interval === undefined || interval === 'auto' ? 'day' : interval, buckets: [] } as const;
    return { hitCount, histogram: none };
  }
  const chosen = chooseInterval(span, interval, buckets, zone);
  const edges = bucketEdges(span.firstMs, span.lastMs, chosen, zone);
  const counted: TimeBucket[] = [];
  for (let at = 0; at < edges.length - 1; at += bucketsAtOnce) {
    counted.push(...(await countBuckets(snapshot, filter, edges.slice(at, at + bucketsAtOnce + 1), levels)));
  }
  const histogram = { interval: chosen, fromMs: edges[0] as number, toMs: edges.at(-1) as number, buckets: counted };
  return { hitCount, histogram };
}

async function countBuckets(
  snapshot: IndexSnapshot,
  filter: Filter,
  edges: readonly number[],
  { values }: ValueCounts,
): Promise<TimeBucket[]> {
  const starts = edges.slice(0, -1);
  const main = values.slice(0, maxLevels).map(({ name }) => [foldCase(name), name] as const);
  const field = valueFields[kinds.level];
  const ofLevels = { levels: { terms: { field, include: main.map(([key]) => key), size: maxLevels } } };
  const ranges = starts.map((from, at) => ({ from, to: edges[at + 1] as number }));
  const { aggregations } = await snapshot.search({
    filter,
    aggregations: { time: { range: { field: 'created', ranges }, ...(main.length > 0 && { aggs: ofLevels }) } },
  });
  const labels = new Map(main);
  const found = new Map(((aggregations.time?.buckets ?? []) as RangeBucket[]).map((one) => [one.from, one]));
  return starts.map((startMs) => {
    const bucket = found.get(startMs);
    const counts = (bucket?.levels?.buckets ?? []).map(
      ({ key, doc_count: count }) => [labels.get(String(key)) ?? String(key), count] as const,
    );
    return { startMs, count: bucket?.doc_count ?? 0, levels: Object.fromEntries(counts) };
  });
}
