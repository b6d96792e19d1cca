import { groupPropertyName } from '../../../../entries/entry.js';
import { foldCase } from '../../../../kernel/text.js';
import type { Facet, Query } from '../../../../search/query.js';
import type { FacetOptions, SearchFacets, ValueCounts } from '../../../../search/search-index.port.js';
import { facetKinds } from '../../../facet-terms.js';
import { type Kind, kinds } from '../../../search-terms.js';
import { and, type Container, count, empty } from '../index/containers.js';
import type { FoundEntries } from './found-entries.js';
import { type SpelledEntries, speller } from './spelling.js';
import { countByTime, type FacetReader } from './time-histogram.js';

const maxValues = 1_000;

/**
 * Counts the facet values of the found entries.
 * @param found `countedFor` returns the entries for which the values of a facet are counted
 */
export function countFacets(
  reader: FacetReader,
  found: { readonly all: FoundEntries; readonly countedFor: (facet: Facet) => FoundEntries },
  options: FacetOptions,
  { zone, hiddenLogbooks }: Pick<Query, 'zone' | 'hiddenLogbooks'>,
): SearchFacets {
  const isRestricted = hiddenLogbooks.length > 0;
  const counts = Object.fromEntries(
    Object.entries(facetKinds).map(([facet, kind]) => [
      facet,
      countValues(reader, found.countedFor(facet as Facet), kind, isRestricted),
    ]),
  ) as Record<Facet, ValueCounts>;
  return { ...counts, hitCount: found.all.count, time: countByTime(reader, found.all, counts.levels, options, zone) };
}

/** Users do not search for the property that links entries. */
const groupProperty = foldCase(groupPropertyName);

interface CountedValue {
  /** Term id; 0: the value is not in the index. */
  readonly id: number;
  readonly name: string;
  /** First spelling of the value; empty for properties. */
  readonly label: string;
  count: number;
}

function countValues(reader: FacetReader, found: FoundEntries, kind: Kind, isRestricted: boolean): ValueCounts {
  const { dictionary, postings, checkTime } = reader;
  const { indexed, unindexed } = found;
  const counts = new Map<string, CountedValue>();
  for (const [at, { id, name, label }] of dictionary.list(kind).entries()) {
    if (at % 16 === 0) checkTime();
    const list = postings.list(id, 0);
    let entries = 0;
    for (const [chunk, container] of list.chunks) {
      const here = indexed[chunk] ?? empty;
      if (here.length > 0) entries += count(and(here, container));
    }
    if (entries > 0) counts.set(name, { id, name, label, count: entries });
  }
  for (const entry of unindexed) {
    for (const [name, label] of entry.labels(kind)) {
      const known = counts.get(name);
      if (known) known.count += 1;
      else counts.set(name, { id: 0, name, label, count: 1 });
    }
  }
  if (kind === kinds.property) for (const name of ['', groupProperty]) counts.delete(name);
  const values = [...counts.values()].sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
  const spell = speller(reader, spelledBy(found), { kind, field: 0 }, isRestricted);
  return {
    distinct: values.length,
    values: values.slice(0, maxValues).map((value) => ({ name: spell(value), count: value.count })),
  };
}

/** Restricts spellings to the found entries, because others may be hidden. */
function spelledBy({ indexed, unindexed }: FoundEntries): SpelledEntries {
  return { unindexed, indexed: (chunk: number, entries: Container) => and(indexed[chunk] ?? empty, entries) };
}
