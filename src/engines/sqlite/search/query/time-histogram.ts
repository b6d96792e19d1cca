import { foldCase } from '../../../../kernel/text.js';
import type { FacetOptions, SearchFacets, TimeBucket, ValueCounts } from '../../../../search/search-index.port.js';
import { bucketEdges, bucketSpan, chooseInterval, type Span } from '../../../../search/time-buckets.js';
import { kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { and, type Container, count, empty } from '../index/containers.js';
import type { CreationOrder } from './creation-order.js';
import type { Dictionary } from './dictionary.js';
import type { FoundEntries } from './found-entries.js';
import type { PostingList, Postings } from './postings.js';

/** Tables and caches for counting facets, all in one snapshot. */
export interface FacetReader {
  readonly documents: Connection;
  readonly postings: Postings;
  readonly dictionary: Dictionary;
  readonly order: CreationOrder;
  readonly checkTime: () => void;
}

/** Maximum number of levels counted per bucket, the most frequent first. Users can invent levels. */
const maxLevels = 20;

type Bucket = { -readonly [K in keyof TimeBucket]: TimeBucket[K] } & { levels: Record<string, number> };

interface Level {
  /** Case-folded name. */
  readonly name: string;
  readonly list: PostingList;
}

type LabelledLevel = Level & { readonly label: string };

/**
 * Counts the found entries by creation time, and by level within each time bucket.
 * @param spelled levels of these and possibly other entries, as spelled for the user
 */
export function countByTime(
  reader: FacetReader,
  found: FoundEntries,
  spelled: ValueCounts,
  { interval, buckets, cover }: FacetOptions,
  zone: string,
): SearchFacets['time'] {
  const span = bucketSpan(findMatches(reader, found), interval, cover);
  if (!span) return { interval: interval === undefined || interval === 'auto' ? 'day' : interval, buckets: [] };
  const chosen = chooseInterval(span, interval, buckets, zone);
  const edges = bucketEdges(span.firstMs, span.lastMs, chosen, zone);
  const starts = edges.slice(0, -1);
  const labels = new Map(spelled.values.map(({ name }) => [foldCase(name), name]));
  const counted = countBuckets(reader, found, starts, labels);
  return {
    interval: chosen,
    fromMs: edges[0] as number,
    toMs: edges.at(-1) as number,
    buckets: counted,
  };
}

/** Returns the creation times of the first and the last match. */
function findMatches(reader: FacetReader, found: FoundEntries): Span | undefined {
  const [first, last] = (['oldest', 'newest'] as const).map((end) =>
    findCreation(reader, reader.order.page(found, end, 0, 1)[0]),
  );
  return first === undefined || last === undefined ? undefined : { firstMs: first, lastMs: last };
}

function countBuckets(
  reader: FacetReader,
  found: FoundEntries,
  starts: readonly number[],
  labels: ReadonlyMap<string, string>,
): Bucket[] {
  const { order, checkTime } = reader;
  const levels = mainLevels(reader, found).map((level) => ({ ...level, label: labels.get(level.name) ?? level.name }));
  const counted = starts.map((startMs, at): Bucket => {
    checkTime();
    const created = order.createdIn(startMs, (starts[at + 1] ?? Number.MAX_SAFE_INTEGER) - 1);
    const bucket: Bucket = { startMs, count: 0, levels: {} };
    const counts = levels.map(() => 0);
    for (const [chunk, entries] of found.chunks.entries()) {
      if (entries.length === 0) continue;
      const inBucket = created(chunk);
      if (inBucket.length === 0) continue;
      bucket.count += count(and(entries, inBucket));
      const indexed = and(found.indexed[chunk] ?? empty, inBucket);
      if (indexed.length > 0) addLevels(counts, levels, chunk, indexed);
    }
    bucket.levels = Object.fromEntries(
      levels.flatMap(({ label }, index) => ((counts[index] as number) > 0 ? [[label, counts[index] as number]] : [])),
    );
    return bucket;
  });
  addUnindexed(counted, levels, found);
  return counted;
}

function addLevels(counts: number[], levels: readonly Level[], chunk: number, entries: Container): void {
  for (const [index, { list }] of levels.entries()) {
    const container = list.chunks.get(chunk);
    if (container) counts[index] = (counts[index] as number) + count(and(entries, container));
  }
}

/** Adds the levels of unindexed entries, which are already counted in the totals. */
function addUnindexed(buckets: readonly Bucket[], levels: readonly LabelledLevel[], { unindexed }: FoundEntries): void {
  const labels = new Map(levels.map(({ name, label }) => [name, label]));
  for (const entry of unindexed) {
    const bucket = buckets.findLast(({ startMs }) => startMs <= entry.entry.view.createdDate);
    for (const name of entry.labels(kinds.level).keys()) {
      const label = labels.get(name);
      if (bucket && label !== undefined) bucket.levels[label] = (bucket.levels[label] ?? 0) + 1;
    }
  }
}

function mainLevels({ dictionary, postings, checkTime }: FacetReader, found: FoundEntries): Level[] {
  const counts = new Map<string, { level: Level; entries: number }>();
  for (const { id, name } of dictionary.list(kinds.level)) {
    checkTime();
    const list = postings.list(id, 0);
    let entries = 0;
    for (const [chunk, container] of list.chunks) entries += count(and(found.indexed[chunk] ?? empty, container));
    counts.set(name, { level: { name, list }, entries });
  }
  for (const entry of found.unindexed) {
    for (const name of entry.labels(kinds.level).keys()) {
      const known = counts.get(name);
      const level = known?.level ?? { name, list: { entries: 0, chunks: new Map() } };
      counts.set(name, { level, entries: (known?.entries ?? 0) + 1 });
    }
  }
  return [...counts.values()]
    .filter(({ entries }) => entries > 0)
    .sort((one, other) => other.entries - one.entries || (one.level.name < other.level.name ? -1 : 1))
    .slice(0, maxLevels)
    .map(({ level }) => level);
}

function findCreation({ documents }: FacetReader, id: number | undefined): number | undefined {
  if (id === undefined) return undefined;
  return documents.get<{ created_ms: number }>('SELECT created_ms FROM entry WHERE id = ?', id)?.created_ms;
}
