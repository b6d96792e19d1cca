export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

export interface PostgresOptions {
  /** Hosts among which the service looks for the primary, in this order, starting with the last known primary. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  /** Schema with the tables of the logbook; a lower-case name. */
  readonly schema: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly tls: PostgresTls;
  /** Number of connections for reads, leases and sign-ins, in addition to one for writes and one for notifications. */
  readonly poolSize: number;
  /** Time limit for one attempt to connect to one host. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Maximum time that reads and writes wait for a primary. */
  readonly failoverTimeoutMs: number;
}

export type PostgresTls =
  | { readonly kind: 'off' }
  /** `caCertificates`: CA certificates in PEM; undefined: those of Node.js. */
  | { readonly kind: 'verified'; readonly caCertificates: string | undefined };
