import type { FacetOptions, SearchFacets, ValueCounts } from '../../../../search/search-index.port.js';
import { and, count, empty } from '../index/containers.js';
import { type Kind, kinds } from '../index/terms.js';
import type { FoundEntries } from './found-entries.js';
import { countByTime, type FacetReader } from './time-histogram.js';

const maxValues = 1_000;

/** The facets of which each may be counted without its own filter. */
export type ValueFacet = 'logbooks' | 'tags' | 'levels' | 'owners';

/**
 * Counts the facet values of the entries that were found.
 * @param foundFor the entries whose values of a facet are counted
 */
export function countFacets(
  reader: FacetReader,
  found: FoundEntries,
  foundFor: (facet: ValueFacet) => FoundEntries,
  options: FacetOptions,
  zone: string,
): SearchFacets {
  return {
    hitCount: found.count,
    logbooks: countValues(reader, foundFor('logbooks'), kinds.logbook),
    tags: countValues(reader, foundFor('tags'), kinds.tag),
    levels: countValues(reader, foundFor('levels'), kinds.level),
    owners: countValues(reader, foundFor('owners'), kinds.owner),
    time: countByTime(reader, found, options, zone),
  };
}

function countValues(reader: FacetReader, { indexed, unindexed }: FoundEntries, kind: Kind): ValueCounts {
  const { dictionary, postings, checkTime } = reader;
  const counts = new Map<string, { name: string; count: number }>();
  for (const [at, { id, name, label }] of dictionary.list(kind).entries()) {
    if (at % 16 === 0) checkTime();
    const list = postings.list(id, 0);
    let entries = 0;
    for (const [chunk, container] of list.chunks) {
      const here = indexed[chunk] ?? empty;
      if (here.length > 0) entries += count(and(here, container));
    }
    if (entries > 0) counts.set(name, { name: label, count: entries });
  }
  for (const entry of unindexed) {
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
