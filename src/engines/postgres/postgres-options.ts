/** A server of a PostgreSQL cluster. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

export interface PostgresOptions {
  /** Hosts among which the service finds the primary, in this order, even after a failover. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  /** The schema with the tables of the logbook; a lower-case name. */
  readonly schema: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly tls: PostgresTls;
  /** Number of connections for reading, in addition to one for writing and one for notifications. */
  readonly poolSize: number;
  /** Time limit for one attempt to connect to one host. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** How long reads and writes wait for a primary when there is none. */
  readonly failoverTimeoutMs: number;
}

export type PostgresTls =
  | { readonly kind: 'off' }
  /** `caCertificates`: PEM; undefined: the authorities that Node.js knows. */
  | { readonly kind: 'verified'; readonly caCertificates: string | undefined };
