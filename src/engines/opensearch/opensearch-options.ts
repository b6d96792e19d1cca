/** A search cluster, and how it is reached. */
export interface OpenSearchOptions {
  /** URLs without a path. Several lead to the same cluster: the next is used when one fails. */
  readonly nodes: readonly string[];
  /** The alias that searches use, and what the names of its indexes begin with. */
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
