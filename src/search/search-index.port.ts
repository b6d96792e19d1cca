import type { PageView } from './page-view.js';
import type { Facet, Query, SelectingKey } from './query.js';
import type { SuggestRequest } from './suggestions.js';
import type { TimeInterval } from './time-buckets.js';

export interface SearchPage {
  /** Exact number of matching entries on all pages. */
  readonly hitCount: number;
  readonly entries: PageEntries;
  /** Present when requested. */
  readonly explanation?: SearchExplanation;
  /**
   * Id of the newest entry that the user may see, present when requested. Passed as `asOf`, it repeats the search in
   * this state.
   */
  readonly position?: number;
}

/**
 * The entries of a page, in order. Usually a JSON array in UTF-8 as the API returns it, with margins around it if they
 * cost nothing (see `framePage`). For a long page, their ids and revisions, so that the entries can be read one at a
 * time.
 */
export type PageEntries =
  | {
      readonly kind: 'joined';
      readonly json: Uint8Array;
      /**
       * Frees the memory of the array, which is not used elsewhere. The call is optional, and only permitted after the
       * array was sent.
       */
      readonly free?: () => void;
    }
  /** Result in a view: the array of the first entries, and the revisions of the others, which `show` returns. */
  | { readonly kind: 'begun'; readonly json: Uint8Array; readonly rest: readonly EntryRevision[] }
  | { readonly kind: 'long'; readonly versions: readonly EntryRevision[] };

/** The search and the view of a page, needed to show the rest of its entries. */
export interface ShownPage {
  readonly query: Query;
  readonly view: PageView;
}

/** A revision of an entry, see `StoredEntry`. */
export interface EntryRevision {
  readonly id: number;
  readonly revision: number;
}

/** Interpretation of a query. */
export interface SearchExplanation {
  readonly parts: readonly ExplainedPart[];
  /** If nothing matches, index in `parts` of the part that excluded the last match. */
  readonly unmatchedPart?: number;
}

export interface ExplainedPart {
  /** Field of the query to which the part belongs. */
  readonly key: SelectingKey;
  /** Searched value in the folded form that is compared; empty for the time window. */
  readonly value: string;
  readonly interpretedAs: 'word' | 'phrase' | 'wildcard' | 'fuzzy' | 'values' | 'flag' | 'window';
  /** Whether matching entries are excluded. */
  readonly excluded: boolean;
  /** Number of entries that match this part alone. */
  readonly hitCount: number;
  /** Number of terms to which a wildcard or a fuzzy word was expanded, and the first of these terms. */
  readonly expansion?: { readonly count: number; readonly terms: readonly string[] };
  /** Existing words or values with a similar spelling, if no entry matches this part. */
  readonly suggestions?: readonly string[];
}

export interface ValueCount {
  readonly name: string;
  readonly count: number;
}

export interface ValueCounts {
  /** Number of different values. */
  readonly distinct: number;
  /** At most 1,000 values, the most frequent first. */
  readonly values: readonly ValueCount[];
}

/**
 * Numbers of matching entries by value and by time of creation. Properties are counted by their names. The property
 * that links the entries of a group does not count.
 */
export interface SearchFacets extends Readonly<Record<Facet, ValueCounts>> {
  readonly hitCount: number;
  /** Counts by time of creation, oldest first, without gaps. */
  readonly time: {
    readonly interval: TimeInterval;
    /** Start of the first bucket, and exclusive end of the last; absent without buckets. */
    readonly fromMs?: number;
    readonly toMs?: number;
    readonly buckets: readonly TimeBucket[];
  };
}

export interface TimeBucket {
  readonly startMs: number;
  readonly count: number;
  /** Counts by level, without zeros, for the twenty levels with the most matches. */
  readonly levels: Readonly<Record<string, number>>;
}

/** Options for counting matches. */
export interface FacetOptions {
  /**
   * Length of the time buckets. `auto`: the shortest length with at most `buckets` buckets; undefined: at least an
   * hour, with about 60 buckets.
   */
  readonly interval?: TimeInterval | 'auto' | undefined;
  /** Maximum number of time buckets. Default: 60. */
  readonly buckets?: number | undefined;
  /** Period that the time buckets cover in addition to the matches, if possible. */
  readonly cover?: { readonly fromMs: number | undefined; readonly toMs: number | undefined } | undefined;
  /** Whether logbooks, tags, levels, owners, devices and properties are each counted without the filter on them. */
  readonly excludeOwn?: boolean;
}

/** Request for entries with a similar meaning. */
export interface SimilarRequest {
  /** The text, or the id of the entry, with which entries are compared. */
  readonly to: string | number;
  /**
   * Filters that the found entries must match. Entries that contain the words of the query are omitted, because a
   * search finds them.
   */
  readonly query: Query;
  /** Maximum number of entries to return. */
  readonly size: number;
}

export interface SimilarEntry {
  /** The entry in the form of a list. */
  readonly entry: object;
  /** Devices and words of the entry that are most similar. */
  readonly like: readonly string[];
}

export interface SearchOptions {
  /** Aborts when the caller no longer needs the result. */
  readonly signal?: AbortSignal;
}

/** Options for the content of a page. */
export interface PageOptions {
  readonly explain?: boolean;
  /** Undefined to return the entries as they are stored. */
  readonly view?: PageView | undefined;
  readonly position?: boolean;
}

export interface SearchIndexStatus {
  /** `Connected`, or the reason why searches are unavailable. */
  readonly status: string;
  /** Number of writes that the index does not contain yet. Searches read them directly. */
  readonly unindexedWrites: number;
  readonly clusterName: string;
  readonly clusterId: string;
  readonly version: string;
  readonly host: string;
  readonly port: string;
  /** Kind of the index. */
  readonly engine: string;
  /** Configured servers, without secrets. `state`: `CONNECTED`, or the reason why the server is not used. */
  readonly servers: readonly { readonly address: string; readonly state: string }[];
  /**
   * Number of results since the start: `computed`, or `reused` from an earlier or concurrent search; undefined if not
   * counted.
   */
  readonly results?: { readonly computed: number; readonly reused: number };
  /** False while requests should be sent to another node; undefined when there is no other node. */
  readonly isReady?: boolean;
}

/**
 * The search. Each search sees every write acknowledged before it, except the text of attachments, which is extracted
 * some time after the entry is stored.
 * @throws Fault busy `search.busy` when too many searches wait; unavailable `search.unavailable`, `search.damaged`,
 *   `search.too-slow`, `search.index-building`, `search.cancelled`; invalid `search.too-many-terms` when a pattern is
 *   too costly
 */
export interface SearchIndex {
  /**
   * Returns a page of the matching entries, ordered by creation and then by id. In order of relevance, the best
   * thousand come first, followed by the others, newest first.
   */
  search(query: Query, options?: SearchOptions & PageOptions): Promise<SearchPage>;
  /** Returns these versions of entries that a search has found, in their order, in the view of the page. */
  show(page: ShownPage, versions: readonly EntryRevision[], options?: SearchOptions): Promise<PageEntries>;
  /**
   * Counts the matching entries by their values.
   * @throws Fault invalid `search.too-many-buckets`
   */
  facets(query: Query, options?: FacetOptions & SearchOptions): Promise<SearchFacets>;
  /**
   * Returns values that begin with a prefix, those of the most entries first. The counts are exact. If a large number
   * of values have the prefix, only some of them are considered.
   */
  suggest(request: SuggestRequest, options?: SearchOptions): Promise<ValueCount[]>;
  /** Returns the entries with the most similar meaning, best first. New entries may be found only seconds later. */
  similar(request: SimilarRequest, options?: SearchOptions): Promise<readonly SimilarEntry[]>;
  /** Returns the entries whose current version matches, in the given order. Ignores the page of the query. */
  matching(query: Query, entryIds: readonly number[], options?: SearchOptions): Promise<number[]>;
  /**
   * Resolves when everything committed before the call is indexed. Searches need not wait for that.
   * @param onProgress called at intervals with the number of indexed entry writes and of all entry writes
   */
  waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void>;
  status(): Promise<SearchIndexStatus>;
}
