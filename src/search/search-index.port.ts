import type { PageView } from './page-view.js';
import type { Facet, Query, SelectingKey } from './query.js';
import type { SuggestRequest } from './suggestions.js';
import type { TimeInterval } from './time-buckets.js';

export interface SearchPage {
  /** The exact number of matching entries on all pages together. */
  readonly hitCount: number;
  readonly entries: PageEntries;
  /** Present when requested. */
  readonly explanation?: SearchExplanation;
  /** Present when requested: the id of the newest entry that the user may see; with it as `asOf`, the moment of the search. */
  readonly position?: number;
}

/**
 * The entries of a page, in order: as a JSON array in UTF-8, as the interface returns it, with margins around it if they
 * cost nothing (see `framePage`); or, for a long page, their ids and versions, so that the entries can be read one by one.
 */
export type PageEntries =
  | {
      readonly kind: 'joined';
      readonly json: Uint8Array;
      /** Frees the memory of the array, which nothing else uses. Optional: may be called after the array was sent. */
      readonly free?: () => void;
    }
  /** Result in a view: the array of the first entries, and the versions of the others, which `show` returns. */
  | { readonly kind: 'begun'; readonly json: Uint8Array; readonly rest: readonly EntryRevision[] }
  | { readonly kind: 'long'; readonly versions: readonly EntryRevision[] };

/** The search and the view of a page, with which the rest of its entries is shown. */
export interface ShownPage {
  readonly query: Query;
  readonly view: PageView;
}

/** One state of an entry; see `StoredEntry`. */
export interface EntryRevision {
  readonly id: number;
  readonly revision: number;
}

/** How a query was interpreted. */
export interface SearchExplanation {
  readonly parts: readonly ExplainedPart[];
  /** When nothing matches, the index in `parts` of the part that excluded the last match. */
  readonly unmatchedPart?: number;
}

export interface ExplainedPart {
  /** The field of the query that the part belongs to. */
  readonly key: SelectingKey;
  /** The value searched for, in the folded form in which it is compared; empty for the time window. */
  readonly value: string;
  readonly interpretedAs: 'word' | 'phrase' | 'wildcard' | 'fuzzy' | 'values' | 'flag' | 'window';
  /** True when matching entries are left out. */
  readonly excluded: boolean;
  /** The number of entries that match this part alone. */
  readonly hitCount: number;
  /** The terms that a wildcard or a fuzzy word was expanded to: their number, and the first of them. */
  readonly expansion?: { readonly count: number; readonly terms: readonly string[] };
  /** When no entry matches this part, existing words or values with a similar spelling. */
  readonly suggestions?: readonly string[];
}

export interface ValueCount {
  readonly name: string;
  readonly count: number;
}

export interface ValueCounts {
  /** The number of different values. */
  readonly distinct: number;
  /** The most frequent first, at most 1,000. */
  readonly values: readonly ValueCount[];
}

/**
 * The number of matching entries by value and by time of creation. Properties are counted by their names, without the
 * property that links the entries of a group.
 */
export interface SearchFacets extends Readonly<Record<Facet, ValueCounts>> {
  readonly hitCount: number;
  /** Counts by time of creation, oldest first, without gaps. */
  readonly time: {
    readonly interval: TimeInterval;
    /** Start of the first bucket and end of the last, which is not included; absent without buckets. */
    readonly fromMs?: number;
    readonly toMs?: number;
    readonly buckets: readonly TimeBucket[];
  };
}

export interface TimeBucket {
  readonly startMs: number;
  readonly count: number;
  /** Counts by level, without zeros, for at most twenty levels: those with the most matches. */
  readonly levels: Readonly<Record<string, number>>;
}

/** How matches are counted. */
export interface FacetOptions {
  /**
   * Length of the time buckets. `auto`: the shortest that gives at most `buckets`; undefined: at least an hour, for
   * about 60 buckets.
   */
  readonly interval?: TimeInterval | 'auto' | undefined;
  /** Default: 60. */
  readonly buckets?: number | undefined;
  /** Period that the time buckets cover in addition to the matches, if possible. */
  readonly cover?: { readonly fromMs: number | undefined; readonly toMs: number | undefined } | undefined;
  /** Whether logbooks, tags, levels, owners, devices and properties are each counted without the filter by them. */
  readonly excludeOwn?: boolean;
}

/** Entries to be found by their meaning. */
export interface SimilarRequest {
  /** The text, or the id of the entry, that they are compared with. */
  readonly to: string | number;
  /**
   * Only entries that match its filters are found. Entries that contain its words are left out, because a search finds
   * those.
   */
  readonly query: Query;
  /** Maximum number of entries to return. */
  readonly size: number;
}

export interface SimilarEntry {
  /** The entry as a list shows it. */
  readonly entry: object;
  /** Its devices and words that are most similar. */
  readonly like: readonly string[];
}

export interface SearchOptions {
  /** Cancels the search when the caller no longer needs its result. */
  readonly signal?: AbortSignal;
}

/** Content of a page. */
export interface PageOptions {
  readonly explain?: boolean;
  /** Undefined: the entries as they are stored. */
  readonly view?: PageView | undefined;
  readonly position?: boolean;
}

export interface SearchIndexStatus {
  /** `Connected`, or the reason why searches are unavailable. */
  readonly status: string;
  /** The number of writes that the index does not contain yet. Searches read them directly. */
  readonly unindexedWrites: number;
  readonly clusterName: string;
  readonly clusterId: string;
  readonly version: string;
  readonly host: string;
  readonly port: string;
  /** The kind of the index. */
  readonly engine: string;
  /** The servers that are configured, without secrets. `state`: `CONNECTED`, or why it is not in use. */
  readonly servers: readonly { readonly address: string; readonly state: string }[];
  /**
   * Number of results since the start: computed, or reused from an earlier or concurrent search; undefined: not
   * counted.
   */
  readonly results?: { readonly computed: number; readonly reused: number };
  /** False while requests should go to another node; undefined: there is no other node. */
  readonly isReady?: boolean;
}

/**
 * The search. Each search sees every write acknowledged before it, except the text of attachments, which is extracted
 * some time after the entry is stored.
 * @throws Fault busy `search.busy` when too many searches wait; unavailable `search.unavailable`, `search.damaged`,
 *   `search.too-slow`, `search.index-building`, `search.cancelled`; invalid `search.too-many-terms` when a pattern is too costly
 */
export interface SearchIndex {
  /**
   * Returns a page of the matching entries, ordered by creation, ties by id. By relevance, the best thousand come
   * first, then the others, newest first.
   */
  search(query: Query, options?: SearchOptions & PageOptions): Promise<SearchPage>;
  /** Returns these versions of entries that a search has found, in their order, as the page shows them. */
  show(page: ShownPage, versions: readonly EntryRevision[], options?: SearchOptions): Promise<PageEntries>;
  /**
   * Counts the matching entries by their values.
   * @throws Fault invalid `search.too-many-buckets`
   */
  facets(query: Query, options?: FacetOptions & SearchOptions): Promise<SearchFacets>;
  /**
   * Returns values that begin with a prefix, those of the most entries first. Counts are exact; of very many values with
   * the prefix, only some are considered.
   */
  suggest(request: SuggestRequest, options?: SearchOptions): Promise<ValueCount[]>;
  /**
   * Returns the entries of the most similar meaning, best first. They are found some seconds after they were written;
   * undefined: the engine cannot compare meanings.
   */
  similar?(request: SimilarRequest, options?: SearchOptions): Promise<readonly SimilarEntry[]>;
  /** Returns those of the entries whose current version matches, in the given order. Ignores the page of the query. */
  matching(query: Query, entryIds: readonly number[], options?: SearchOptions): Promise<number[]>;
  /**
   * Resolves when everything committed before the call is indexed. Searches need not wait for it.
   * @param onProgress called from time to time with the number of indexed writes of entries and of all writes
   */
  waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void>;
  status(): Promise<SearchIndexStatus>;
}
