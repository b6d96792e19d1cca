/** A bucket on S3-compatible object storage, and how it is reached. */
export interface S3Options {
  /** URLs without a path. Several lead to the same storage: the next is used when one fails. */
  readonly endpoints: readonly string[];
  readonly region: string;
  readonly bucket: string;
  /** What all keys begin with; empty, or ending in a slash. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** PEM; undefined: the authorities that Node.js knows. */
  readonly caCertificates: string | undefined;
  /** Whether the bucket is in the path of the URL; otherwise it is in the host name. */
  readonly pathStyle: boolean;
  readonly connectTimeoutMs: number;
  /** For how long nothing may arrive or leave. */
  readonly requestTimeoutMs: number;
  /** For how long failed requests are repeated. */
  readonly retryTimeoutMs: number;
  /** For downloads, and as many again for everything else: slow readers keep no upload waiting. */
  readonly maxConnections: number;
}
