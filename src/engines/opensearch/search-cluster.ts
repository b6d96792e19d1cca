import { Client } from '@opensearch-project/opensearch';
import type { Log } from '../../kernel/log.js';
import { searchCancelled, searchTooSlow } from '../search-faults.js';
import { describeOpenSearchError } from './describe-opensearch-error.js';
import { OpenSearchError, toOpenSearchError } from './opensearch-errors.js';
import type { OpenSearchOptions } from './opensearch-options.js';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  /** Lines of a bulk request. */
  readonly lines?: readonly object[];
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Time limit for all attempts together. */
  readonly limitMs?: number;
  /** Number of retries after a failure, on other nodes if possible. Only for idempotent requests. */
  readonly retries?: number;
}

export interface ClusterInfo {
  readonly name: string;
  readonly id: string;
  readonly version: string;
}

/** Fields common to all search responses. */
export interface ShardsAnswer {
  readonly timed_out?: boolean;
  readonly _shards?: { readonly total: number; readonly successful: number; readonly failed: number };
}

/** Sends requests to the nodes of a search cluster, and remembers the outcome of the last one. */
export class SearchCluster {
  private readonly client: Client;
  private problem: OpenSearchError | undefined;

  constructor(
    readonly options: OpenSearchOptions,
    private readonly log: Log,
  ) {
    const { nodes, credentials, caCertificates, requestTimeoutMs, maxConnections } = options;
    this.client = new Client({
      nodes: [...nodes],
      ...(credentials && { auth: { username: credentials.user, password: credentials.password } }),
      ssl: { rejectUnauthorized: true, ...(caCertificates !== undefined && { ca: caCertificates }) },
      agent: { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections },
      maxRetries: Math.max(2, nodes.length),
      requestTimeout: requestTimeoutMs,
    });
  }

  /** Address and state of each node; the reason for an unavailable node is in the log. */
  get servers(): readonly { readonly address: string; readonly state: string }[] {
    const isDown = this.problem !== undefined;
    return this.client.connectionPool.connections.map(({ url, status }) => ({
      address: url.host,
      // The client avoids a failed node for a minute or more while other nodes respond.
      state: isDown || status === 'dead' ? 'UNAVAILABLE' : 'CONNECTED',
    }));
  }

  /** Error of the last request if its cause affects all requests; undefined: requests can be answered. */
  get failure(): OpenSearchError | undefined {
    return this.problem;
  }

  /** @throws OpenSearchError; Fault unavailable `search.cancelled` when the signal aborts */
  async send<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const { query, body, lines, signal, timeoutMs, limitMs, retries } = options;
    if (signal?.aborted) throw searchCancelled();
    const sent = this.client.transport.request(
      { method, path, querystring: { ...query }, ...(lines ? { bulkBody: lines as object[] } : { body: body ?? '' }) },
      {
        ...(timeoutMs !== undefined && { requestTimeout: timeoutMs }),
        ...(retries !== undefined && { maxRetries: retries }),
      },
    ) as unknown as Promise<{ body: T }> & { abort(): void };
    const abort = () => {
      // Returns nothing: `sent.abort` returns a promise of the request, whose rejection would be unhandled.
      void sent.abort();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const limit = limitMs === undefined ? undefined : setTimeout(abort, limitMs);
    try {
      const { body: answer } = await sent;
      this.note(undefined);
      return answer;
    } catch (error) {
      if (signal?.aborted) throw searchCancelled();
      throw this.note(toOpenSearchError(error), nodeOf(error));
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Sends a request like `send`; returns undefined if its target does not exist. */
  async find<T>(path: string, options?: RequestOptions): Promise<T | undefined> {
    try {
      return await this.send<T>('GET', path, options);
    } catch (error) {
      if (error instanceof OpenSearchError && error.status === 404) return undefined;
      throw error;
    }
  }

  async info(limits: Pick<RequestOptions, 'timeoutMs' | 'limitMs'>): Promise<ClusterInfo> {
    const found = await this.send<{
      cluster_name: string;
      cluster_uuid: string;
      version: { number: string; distribution?: string };
    }>('GET', '/', { ...limits, retries: this.options.nodes.length - 1 });
    const { number, distribution } = found.version;
    const product = distribution === 'opensearch' ? 'OpenSearch' : 'Elasticsearch';
    return { name: found.cluster_name, id: found.cluster_uuid, version: `${product} ${number}` };
  }

  close(): void {
    void this.client.close();
  }

  /** Logs a reason once rather than at each attempt. */
  private note(error: OpenSearchError, node: string): OpenSearchError;
  private note(error: undefined): undefined;
  private note(error: OpenSearchError | undefined, node = ''): OpenSearchError | undefined {
    const isGeneral =
      error && (error.status === undefined || [401, 403, 429].includes(error.status) || error.status >= 500);
    const problem = isGeneral ? error : undefined;
    if (problem?.summary === this.problem?.summary) return error;
    this.problem = problem;
    if (problem) {
      const reason = describeOpenSearchError(problem, this.options, node);
      this.log.error({ reason, err: problem }, 'search cluster not usable; will retry');
    } else this.log.info({}, 'search cluster connected');
    return error;
  }
}

/** Returns the node that received the last request. */
function nodeOf(error: unknown): string {
  const { meta } = error as { readonly meta?: { readonly meta?: { readonly connection?: { readonly url?: URL } } } };
  return meta?.meta?.connection?.url?.origin ?? 'OpenSearch';
}

/** @throws Fault unavailable, OpenSearchError when the response is incomplete */
export function requireWhole<T extends ShardsAnswer>(answer: T): T {
  if (answer.timed_out) throw searchTooSlow();
  const shards = answer._shards;
  if (shards && shards.failed > 0) {
    const summary = `${shards.failed} of ${shards.total} parts of the index did not answer`;
    throw new OpenSearchError(503, 'shards', summary, undefined);
  }
  return answer;
}
