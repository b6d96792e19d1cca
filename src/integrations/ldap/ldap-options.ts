/** How the servers of a directory are reached. */
export interface ConnectionSettings {
  /** `ldap://host[:port]` or `ldaps://host[:port]`, asked in this order. */
  readonly urls: readonly string[];
  /** Whether what is said to an `ldap://` address is encrypted after the first message. */
  readonly startTls: boolean;
  /** PEM; the only authorities that are trusted then. Undefined: those that Node.js trusts. */
  readonly caCertificates: string | undefined;
  readonly connectTimeoutMs: number;
  readonly operationTimeoutMs: number;
}
