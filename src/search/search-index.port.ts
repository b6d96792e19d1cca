import type { Query } from './query.js';

export interface SearchPage {
  /** How many entries match, exactly, whatever the page. */
  readonly hitCount: number;
  /** The entries of the page, in order: a JSON array of entries as the interface shows them, UTF-8. */
  readonly entriesJson: Uint8Array;
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

export interface SearchIndex {
  /**
   * The entries that match, ordered by creation time, ties by id. Sees every write acknowledged before the call.
   * @throws Fault busy `search.busy` when too many searches wait; unavailable `search.unavailable`;
   *   invalid `search.too-broad` when a pattern is too costly
   */
  search(query: Query): Promise<SearchPage>;
  status(): Promise<SearchIndexStatus>;
}
