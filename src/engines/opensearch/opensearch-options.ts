/** Connection to a search cluster. */
export interface OpenSearchOptions {
  /** URLs of the nodes of one cluster, without paths. If one fails, the next is used. */
  readonly nodes: readonly string[];
  /** Alias that searches use, and prefix of the index names. */
  readonly indexName: string;
  /** Credentials; undefined: the cluster requires none. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** CA certificates in PEM; undefined: those of Node.js. */
  readonly caCertificates: string | undefined;
  /** Number of replicas of the index that the cluster keeps in addition to the primary. */
  readonly replicas: number;
  /** Time limit for one request. */
  readonly requestTimeoutMs: number;
  /** Maximum number of connections to each node. */
  readonly maxConnections: number;
}
