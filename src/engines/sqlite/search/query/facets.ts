import type { SearchFacets, ValueCounts } from '../../../../search/search-index.port.js';
import { bucketStarts, intervalFor, type TimeInterval } from '../../../../search/time-buckets.js';
import type { Connection } from '../../database/connection.js';
import { and, type Container, count, empty } from '../index/containers.js';
import { type Kind, kinds } from '../index/terms.js';
import type { CreationOrder } from './creation-order.js';
import type { Dictionary } from './dictionary.js';
import type { EntrySet } from './entry-set.js';
import type { Postings } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';

const maxValues = 1_000;

/** Counts the facet values of some entries. */
export class FacetCounter {
  constructor(
    private readonly reader: {
      readonly documents: Connection;
      readonly postings: Postings;
      readonly dictionary: Dictionary;
      readonly order: CreationOrder;
      readonly checkTime: () => void;
    },
    /** Those of the entries whose current version is indexed, by chunk. */
    private readonly indexed: readonly Container[],
    /** The others. */
    private readonly unindexed: readonly UnindexedEntry[],
    private readonly entries: EntrySet,
  ) {}

  count(interval: TimeInterval | undefined, zone: string): SearchFacets {
    return {
      hitCount: this.entries.count,
      logbooks: this.countValues(kinds.logbook),
      tags: this.countValues(kinds.tag),
      levels: this.countValues(kinds.level),
      owners: this.countValues(kinds.owner),
      time: this.countByTime(interval, zone),
    };
  }

  private countValues(kind: Kind): ValueCounts {
    const { dictionary, postings, checkTime } = this.reader;
    const counts = new Map<string, { name: string; count: number }>();
    for (const [at, { id, name, label }] of dictionary.list(kind).entries()) {
      if (at % 16 === 0) checkTime();
      const list = postings.list(id, 0);
      let entries = 0;
      for (const [chunk, container] of list.chunks) {
        const here = this.indexed[chunk] ?? empty;
        if (here.length > 0) entries += count(and(here, container));
      }
      if (entries > 0) counts.set(name, { name: label, count: entries });
    }
    for (const entry of this.unindexed) {
      for (const [name, label] of entry.labels(kind)) {
        const known = counts.get(name);
        if (known) known.count += 1;
        else counts.set(name, { name: label, count: 1 });
      }
    }
    const values = [...counts]
      .sort(([name, one], [otherName, other]) => other.count - one.count || (name < otherName ? -1 : 1))
      .map(([, value]) => value);
    return { distinct: values.length, values: values.slice(0, maxValues) };
  }

  private countByTime(interval: TimeInterval | undefined, zone: string): SearchFacets['time'] {
    const { order, checkTime } = this.reader;
    const [firstMs, lastMs] = (['oldest', 'newest'] as const).map((end) =>
      this.findCreation(order.page(this.entries, end, 0, 1)[0]),
    );
    if (firstMs === undefined || lastMs === undefined) return { interval: interval ?? 'day', buckets: [] };
    const chosen = interval ?? intervalFor(firstMs, lastMs);
    const starts = bucketStarts(firstMs, lastMs, chosen, zone);
    checkTime();
    const counts = order.countsFrom(this.entries, starts);
    return { interval: chosen, buckets: starts.map((startMs, at) => ({ startMs, count: counts[at] as number })) };
  }

  private findCreation(id: number | undefined): number | undefined {
    if (id === undefined) return undefined;
    return this.reader.documents.get<{ created_ms: number }>('SELECT created_ms FROM entry WHERE id = ?', id)
      ?.created_ms;
  }
}
