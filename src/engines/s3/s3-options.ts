/** Connection to a bucket on S3-compatible object storage. */
export interface S3Options {
  /** URLs of the same storage, without paths. If one fails, the next is used. */
  readonly endpoints: readonly string[];
  readonly region: string;
  readonly bucket: string;
  /** Prefix of all keys; empty, or ending in a slash. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** CA certificates in PEM; undefined: those of Node.js. */
  readonly caCertificates: string | undefined;
  /** Whether URLs name the bucket in the path; otherwise in the host name. */
  readonly pathStyle: boolean;
  readonly connectTimeoutMs: number;
  /** Idle timeout of a request: maximum time during which nothing is sent or received. */
  readonly requestTimeoutMs: number;
  /** Time for which failed requests are repeated. */
  readonly retryTimeoutMs: number;
  /**
   * Maximum number of connections for downloads, and separately for everything else, so that slow readers do not delay
   * uploads.
   */
  readonly maxConnections: number;
}
