/** A search cluster, and how it is reached. */
export interface OpenSearchOptions {
  /** URLs of nodes of one cluster, without paths. If one fails, the next is used. */
  readonly nodes: readonly string[];
  /** Alias that searches use, and prefix of the names of its indexes. */
  readonly indexName: string;
  /** Undefined: the cluster wants no credentials. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** PEM; undefined: the authorities that Node.js knows. */
  readonly caCertificates: string | undefined;
  /** Number of copies of the index that the cluster keeps in addition to the first. */
  readonly replicas: number;
  /** How long one request may take. */
  readonly requestTimeoutMs: number;
  /** To each node. */
  readonly maxConnections: number;
}
