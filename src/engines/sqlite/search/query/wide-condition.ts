import { LRUCache } from 'lru-cache';
import type { Fault } from '../../../../kernel/fault.js';
import { limitFault } from '../../../../kernel/limit.js';
import { fields, type Kind } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { and, type Container, count, empty, filter, idOf } from '../index/containers.js';
import type { Condition } from './conditions.js';
import type { IndexReader } from './index-reader.js';
import type { PostingList } from './postings.js';
import { UnindexedEntry } from './unindexed-entries.js';

/** Wanted terms; an entry with any of them meets the condition. */
export interface WantedTerms {
  readonly fields: readonly number[];
  readonly exact: readonly (readonly [Kind, string])[];
  readonly patterns: readonly (readonly [Kind, string])[];
  /** Ids of all these terms, if already known. */
  readonly ids?: readonly number[] | undefined;
  /** Patterns as written in the query. */
  readonly written: string;
}

export interface WideLimits {
  /** Maximum number of entries for which reading and testing costs less than looking up the terms. */
  readonly fewEntries: number;
  /** Maximum number of entries that are read and tested if there are too many terms. */
  readonly maxEntries: number;
  /** Maximum number of terms whose lists are read. */
  readonly maxTerms: number;
}

/** Test of a condition on entries that are read for the test. */
export interface EntryTest extends Pick<Condition, 'matches'> {
  readonly entries: ReadEntries;
  readonly checkTime: () => void;
}

/**
 * Approximate memory of an entry with its words, as a multiple of the size of its texts, and of an entry without texts.
 */
const sizeWithWords = 8;
const emptyEntryBytes = 1_000;

/** Cache of entries read for tests, shared by all parts of a search. */
export class ReadEntries {
  private readonly cache = new LRUCache<number, UnindexedEntry>({
    maxSize: 32 * 1_048_576,
    sizeCalculation: (entry) =>
      Object.values(fields)
        .flatMap((field) => entry.texts(field))
        .reduce((sum, text) => sum + sizeWithWords * text.length, emptyEntryBytes),
  });

  constructor(private readonly documents: Connection) {}

  get(id: number): UnindexedEntry {
    const known = this.cache.get(id);
    if (known) return known;
    const entry = new UnindexedEntry(getSearchable(this.documents, id), 0);
    this.cache.set(id, entry);
    return entry;
  }
}

const wideLimits: WideLimits = { fewEntries: 5_000, maxEntries: 50_000, maxTerms: 500_000 };

/**
 * Returns the condition for patterns that match a very large number of terms. If the other parts of the search leave
 * few entries, these are read and tested; otherwise the lists of all matching terms are joined.
 * @param existing condition that all entries meet
 */
export function wideCondition(
  reader: IndexReader,
  wanted: WantedTerms,
  existing: Condition,
  { matches, entries: readEntries, checkTime }: EntryTest,
  limits = wideLimits,
): Condition {
  const { fewEntries, maxEntries } = limits;
  let tested = 0;
  /** Joined list; `tooMany`: there are more terms than can be joined. */
  let list: PostingList | 'tooMany' | undefined;
  const join = () => (list ??= joinLists(reader, wanted, limits.maxTerms, checkTime) ?? 'tooMany');
  const test = (chunk: number, entries: Container): Container => {
    tested += count(entries);
    let at = 0;
    return filter(entries, (low) => {
      if (at++ % 16 === 0) checkTime();
      return matches(readEntries.get(idOf(chunk, low)));
    });
  };
  const filterChunk = (chunk: number, entries: Container): Container => {
    const needed = tested + count(entries);
    if (list === undefined && needed <= fewEntries) return test(chunk, entries);
    const joined = join();
    if (joined !== 'tooMany') return and(entries, joined.chunks.get(chunk) ?? empty);
    if (needed <= maxEntries) return test(chunk, entries);
    throw tooManyTerms(wanted.written, limits);
  };
  return {
    size: () => existing.size(),
    idsIn(chunk) {
      const joined = join();
      return joined === 'tooMany' ? filterChunk(chunk, existing.idsIn(chunk)) : (joined.chunks.get(chunk) ?? empty);
    },
    filter: filterChunk,
    matches,
  };
}

/** Returns the entries with any of the terms; undefined if there are too many terms. */
function joinLists(
  { dictionary, postings }: IndexReader,
  { exact, patterns, fields, ids: known }: WantedTerms,
  maxTerms: number,
  checkTime: () => void,
): PostingList | undefined {
  if (known) return known.length > maxTerms ? undefined : postings.union(known, fields, checkTime);
  const ids = exact.flatMap(([kind, name]) => dictionary.find(kind, name)?.id ?? []);
  for (const [kind, pattern] of patterns) {
    for (const batch of dictionary.idsMatching(kind, pattern)) {
      checkTime();
      for (const id of batch) ids.push(id);
      if (ids.length > maxTerms) return undefined;
    }
  }
  return postings.union(ids, fields, checkTime);
}

function tooManyTerms(written: string, { maxTerms, maxEntries }: WideLimits): Fault {
  return limitFault('invalid', 'search.too-many-terms', {
    refused: `“${written}” matches too many different words, and the other parts of this search leave too many entries.`,
    limit: {
      amount: `${maxTerms} different words, or ${maxEntries} entries,`,
      setting: undefined,
      countedFor: 'each part of a search, regardless of the client',
    },
    advice: `Write more letters of “${written}”, or narrow the search, for example by a time window or a logbook.`,
  });
}
