import type { Query } from './query.js';
import type { TimeInterval } from './time-buckets.js';

export interface SearchPage {
  /** How many entries match, exactly, whatever the page. */
  readonly hitCount: number;
  readonly entries: PageEntries;
  /** When asked for. */
  readonly explanation?: SearchExplanation;
}

/**
 * The entries of a page, in order: as a JSON array of entries as the interface shows them, UTF-8; of a long page, which
 * they are, to be read one after the other.
 */
export type PageEntries =
  | { readonly kind: 'joined'; readonly json: Uint8Array }
  | { readonly kind: 'long'; readonly versions: readonly EntryVersion[] };

export interface EntryVersion {
  readonly id: number;
  readonly version: number;
}

/** How a query was understood. */
export interface SearchExplanation {
  readonly parts: readonly ExplainedPart[];
  /** When nothing matches: the part that left nothing, by its place among the parts. */
  readonly unmatchedPart?: number;
}

export interface ExplainedPart {
  /** The part of the query that it belongs to. */
  readonly key: keyof Query;
  /** What was asked for, as it is compared; empty for the time window. */
  readonly asked: string;
  readonly interpretedAs: 'word' | 'phrase' | 'wildcard' | 'fuzzy' | 'values' | 'trait' | 'window';
  /** Whether entries that meet it are left out. */
  readonly excluded: boolean;
  /** How many entries meet it, whatever the other parts ask for. */
  readonly hitCount: number;
  /** What a wildcard or a fuzzy word was expanded to: how many terms, and the first of them. */
  readonly expansion?: { readonly count: number; readonly terms: readonly string[] };
  /** When nothing meets it: what there is that is spelled nearly so. */
  readonly nearest?: readonly string[];
}

export interface ValueCount {
  readonly name: string;
  readonly count: number;
}

export interface ValueCounts {
  /** How many different values the matching entries have. */
  readonly distinct: number;
  /** The most frequent first, at most 1,000. */
  readonly values: readonly ValueCount[];
}

/** Of the entries that match a query, how many have what. */
export interface SearchFacets {
  readonly hitCount: number;
  readonly logbooks: ValueCounts;
  readonly tags: ValueCounts;
  readonly levels: ValueCounts;
  readonly owners: ValueCounts;
  /** By creation, oldest first, from the first match to the last without a gap. */
  readonly time: {
    readonly interval: TimeInterval;
    readonly buckets: readonly { readonly startMs: number; readonly count: number }[];
  };
}

export interface SearchOptions {
  /** Ends the search when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface SearchIndexStatus {
  /** `Connected`, or the reason why not. */
  readonly status: string;
  readonly clusterName: string;
  readonly clusterId: string;
  readonly version: string;
  readonly host: string;
  readonly port: string;
}

/**
 * Each search sees every write acknowledged before it, but for the words inside attachments, which are read a while
 * after their entry is stored.
 * @throws Fault busy `search.busy` when too many searches wait; unavailable `search.unavailable`, `search.damaged`,
 *   `search.too-slow`, `search.index-building`, `search.cancelled`; invalid `search.too-many-terms` when a pattern is too costly
 */
export interface SearchIndex {
  /**
   * The entries that match, ordered by creation time, ties by id. By relevance, the best thousand come first, then
   * the others from the newest on.
   */
  search(query: Query, options?: SearchOptions & { readonly explain?: boolean }): Promise<SearchPage>;
  /**
   * @param interval undefined: one that makes some dozens of buckets
   * @throws Fault invalid `search.too-many-buckets`
   */
  facets(query: Query, interval: TimeInterval | undefined, options?: SearchOptions): Promise<SearchFacets>;
  /** Which of these entries the search would find, as they stand now, whatever the page; in the order given. */
  matching(query: Query, entryIds: readonly number[], options?: SearchOptions): Promise<number[]>;
  /**
   * Resolves when the index itself holds everything that was committed before the call. Searches need not wait for it.
   * @param onProgress told now and then how many writes of entries the index holds, and of how many
   */
  waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void>;
  status(): Promise<SearchIndexStatus>;
}
