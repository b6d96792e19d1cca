/** A bucket on S3-compatible object storage, and how it is reached. */
export interface S3Options {
  /** URLs without a path. Several lead to the same storage: the next is used when one fails. */
  readonly endpoints: readonly string[];
  readonly region: string;
  readonly bucket: string;
  /** Prefix of all keys; empty, or ending in a slash. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** PEM; undefined: the authorities that Node.js knows. */
  readonly caCertificates: string | undefined;
  /** Whether the bucket is in the path of the URL; otherwise it is in the host name. */
  readonly pathStyle: boolean;
  readonly connectTimeoutMs: number;
  /** Idle timeout of a request: nothing is sent or received for this long. */
  readonly requestTimeoutMs: number;
  /** How long failed requests are repeated. */
  readonly retryTimeoutMs: number;
  /**
   * Maximum number of connections for downloads, and the same number for everything else: slow readers do not delay
   * uploads.
   */
  readonly maxConnections: number;
}
