export interface ClaimNames {
  readonly userClaim: string;
  /** Undefined: groups are not read. */
  readonly groupsClaim: string | undefined;
  /** Separator of the groups in a claim that is a single string. */
  readonly groupsSeparator: string;
}

/** Settings for sign-ins with an OpenID Connect provider. */
export interface OidcOptions extends ClaimNames {
  /** The provider's issuer identifier, a URL. With plain http, requests to the provider are not encrypted. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** Scopes, separated by spaces. */
  readonly scope: string;
  /** PEM of the only trusted authorities. Undefined: the authorities that Node.js trusts. */
  readonly caCertificates?: string | undefined;
  /** Whether signing out of the logbook also signs out at the provider. */
  readonly signOut: boolean;
  /** Time-out of each request to the provider. */
  readonly timeoutMs: number;
}
