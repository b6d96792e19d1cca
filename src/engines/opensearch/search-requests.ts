import type { Query } from '../../search/query.js';
import type { EntryRevision } from '../../search/search-index.port.js';
import { searchTimeLimitMs } from '../search-faults.js';
import { anyOf, type Filter } from './compile-query.js';
import type { ShownValues } from './index-document.js';
import { toAnsweredError } from './opensearch-errors.js';
import { requireWhole, type SearchCluster, type ShardsAnswer } from './search-cluster.js';

/** Additional time for the response to a search, and then for a second node if the first does not respond. */
const marginMs = 2_000;
const keepAlive = '1m';
/** Maximum position of an entry that a request can return, counted from the first match. */
export const maxWindow = 10_000;

/** Order of entries by creation. */
export type Order = 'newest' | 'oldest';

export interface Hit extends EntryRevision {
  readonly createdMs: number;
  readonly thread: string | undefined;
  readonly shown: ShownValues | undefined;
  /** The vector in the form in which it is stored; undefined: it was not requested. */
  readonly vector: string | undefined;
  /** Names of the matching named filters. */
  readonly matched: readonly string[];
}

export interface Bucket {
  readonly key: string | number;
  readonly doc_count: number;
  readonly newest?: { readonly hits: { readonly hits: readonly RawHit[] } };
}

export interface Aggregation {
  readonly buckets: readonly Bucket[];
  readonly sum_other_doc_count?: number;
  readonly after_key?: Readonly<Record<string, string>>;
  readonly value?: number | null;
}

interface RawHit {
  readonly fields?: {
    readonly id?: readonly number[];
    readonly version?: readonly number[];
    readonly created?: readonly number[];
    readonly thread?: readonly string[];
    readonly vector?: readonly string[];
  };
  readonly _source?: { readonly shown?: ShownValues };
  readonly matched_queries?: readonly string[];
}

interface RawAnswer extends ShardsAnswer {
  readonly hits: { readonly total?: { readonly value: number }; readonly hits: readonly RawHit[] };
  readonly aggregations?: Readonly<Record<string, Aggregation>>;
  readonly error?: { readonly type?: string };
  readonly status?: number;
}

export interface Answer {
  /** Exact number of matches. */
  readonly count: number;
  readonly hits: readonly Hit[];
  readonly aggregations: Readonly<Record<string, Aggregation>>;
}

export interface Request {
  readonly filter: Filter;
  readonly order?: Order;
  readonly from?: number;
  readonly size?: number;
  readonly aggregations?: object;
  /**
   * Filter whose scores order the documents; undefined: they are ordered by creation. It does not affect which
   * documents match.
   */
  readonly scored?: Filter;
  /** Whether to read the values of the documents in their original spelling. */
  readonly isShown?: boolean;
  /**
   * Filters whose scores order the documents that match any of them; these documents are read with their vectors.
   * OpenSearch computes many scores faster without other conditions, so `filter` is applied afterwards.
   */
  readonly compared?: readonly Filter[];
  /** Whether to compute the scores of `compared` only for documents that match `filter`. */
  readonly filtersFirst?: boolean;
}

/** Fields read from each document. */
const hitFields = ['id', 'version', 'created', 'thread'] as const;

function sortBy(order: Order): object[] {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return [{ created: direction }, { id: direction }];
}

/** Returns the time limits for one request of a search. */
function limitsFor(signal: AbortSignal | undefined) {
  const timeoutMs = searchTimeLimitMs + marginMs;
  return { signal, timeoutMs, retries: 1, limitMs: timeoutMs + marginMs };
}

/** Sends searches to one index; all see the same state of the index. */
export class IndexSnapshot {
  private constructor(
    private readonly cluster: SearchCluster,
    /** Id of the point in time; undefined: each request sees the state at its arrival. */
    private readonly pit: string | undefined,
    private readonly index: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Returns a snapshot for a single request; a second request could see a later state. */
  static latest(cluster: SearchCluster, index: string, signal: AbortSignal | undefined): IndexSnapshot {
    return new IndexSnapshot(cluster, undefined, index, signal);
  }

  /** Runs `work` on one state of the index. */
  static async use<T>(
    cluster: SearchCluster,
    index: string,
    signal: AbortSignal | undefined,
    work: (snapshot: IndexSnapshot) => Promise<T>,
  ): Promise<T> {
    const opened = await cluster.send<ShardsAnswer & { pit_id: string }>('POST', `/${index}/_search/point_in_time`, {
      query: { keep_alive: keepAlive, allow_partial_pit_creation: false },
      ...limitsFor(signal),
    });
    const { pit_id: pit } = requireWhole(opened);
    try {
      return await work(new IndexSnapshot(cluster, pit, index, signal));
    } finally {
      // Failures can be ignored: the snapshot expires automatically.
      const removal = { body: { pit_id: [pit] }, timeoutMs: marginMs, retries: 0 };
      void cluster.send('DELETE', '/_search/point_in_time', removal).catch(() => undefined);
    }
  }

  /** @throws Fault, OpenSearchError */
  async search(request: Request): Promise<Answer> {
    const answer = await this.cluster.send<RawAnswer>('POST', this.pit ? '/_search' : `/${this.index}/_search`, {
      // With a point in time, a request must not name an index, a preference or a routing.
      query: { allow_partial_search_results: false },
      body: this.toBody(request),
      ...limitsFor(this.signal),
    });
    return toAnswer(answer);
  }

  /** Sends several searches in one request, like `search`. */
  async searchAll(requests: readonly Request[]): Promise<Answer[]> {
    if (requests.length === 0) return [];
    const header = this.pit ? {} : { index: this.index };
    const lines = requests.flatMap((request) => [
      { ...header, allow_partial_search_results: false },
      this.toBody(request),
    ]);
    const { responses } = await this.cluster.send<{ responses: readonly RawAnswer[] }>('POST', '/_msearch', {
      lines,
      query: { max_concurrent_searches: 4 },
      ...limitsFor(this.signal),
    });
    return responses.map(toAnswer);
  }

  async count(filter: Filter): Promise<number> {
    return (await this.search({ filter, size: 0 })).count;
  }

  private toBody({
    filter,
    order = 'newest',
    from = 0,
    size = 0,
    aggregations,
    scored,
    isShown = false,
    compared,
    filtersFirst = false,
  }: Request): object {
    const query = compared
      ? { bool: { filter: filtersFirst ? [filter] : [], must: [anyOf(compared)] } }
      : { bool: { filter: [filter], ...(scored && { should: [scored] }) } };
    return {
      query,
      // Reading no stored fields saves most of the time for a large number of documents.
      ...(compared && { stored_fields: '_none_' }),
      ...(compared && !filtersFirst && { post_filter: filter }),
      from,
      size,
      sort: [...(scored || compared ? [{ _score: 'desc' }] : []), ...sortBy(order)],
      track_total_hits: true,
      timeout: `${searchTimeLimitMs}ms`,
      _source: isShown ? ['shown'] : false,
      docvalue_fields: compared ? [...hitFields, 'vector'] : hitFields,
      ...(aggregations && { aggs: aggregations }),
      ...(this.pit && { pit: { id: this.pit, keep_alive: keepAlive } }),
    };
  }
}

function toHit({ fields, _source, matched_queries: matched = [] }: RawHit): Hit {
  return {
    id: fields?.id?.[0] ?? 0,
    revision: fields?.version?.[0] ?? 0,
    createdMs: fields?.created?.[0] ?? 0,
    thread: fields?.thread?.[0],
    shown: _source?.shown,
    vector: fields?.vector?.[0],
    matched,
  };
}

/** Aggregation: the newest document of each bucket, with its values in their original spelling. */
export const newestShown = {
  newest: { top_hits: { size: 1, sort: sortBy('newest'), _source: ['shown'], docvalue_fields: hitFields } },
};

/**
 * Aggregation: the last stored document of each bucket, whatever its date, which determines the spelling of a value.
 */
export const lastStored = {
  newest: { top_hits: { size: 1, sort: [{ id: 'desc' }], _source: ['shown'], docvalue_fields: hitFields } },
};

export function newestIn({ newest }: Bucket): Hit | undefined {
  return newest?.hits.hits.map(toHit)[0];
}

function toAnswer(answer: RawAnswer): Answer {
  if (answer.error) throw toAnsweredError(answer.status ?? 500, { error: answer.error });
  const { hits, aggregations } = requireWhole(answer);
  return { count: hits.total?.value ?? 0, hits: hits.hits.map(toHit), aggregations: aggregations ?? {} };
}

/** Restrictions on the entries that a query may return, in addition to its conditions. */
export type Visibility = Pick<Query, 'hiddenLogbooks' | 'asOf'>;
