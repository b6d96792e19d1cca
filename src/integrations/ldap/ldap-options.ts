/** Addresses and settings of the servers of one directory. */
export interface LdapConnectionOptions {
  /** Addresses such as `ldap://host[:port]` or `ldaps://host[:port]`, tried in this order. */
  readonly urls: readonly string[];
  /** Whether connections to `ldap://` addresses are upgraded to TLS before anything else is sent. */
  readonly startTls: boolean;
  /** PEM of the only trusted authorities. Undefined: the authorities that Node.js trusts. */
  readonly caCertificates: string | undefined;
  readonly connectTimeoutMs: number;
  readonly operationTimeoutMs: number;
}

/** At least one of `userDnPattern` and `userSearch` is set. */
export interface LdapOptions extends LdapConnectionOptions {
  /** The attribute of users whose value is the user name. */
  readonly nameAttribute: string;
  /** Full DN of a user, with `{0}` for the user name; tried before the search. */
  readonly userDnPattern: string | undefined;
  /** Search for a user. `{0}` in the filter is the user name. */
  readonly userSearch: SubtreeSearch | undefined;
  /** Search for groups. `{0}` in the filter is the user's DN, `{1}` the user name. Undefined: users have no groups. */
  readonly groupSearch: SubtreeSearch | undefined;
  /** Account that searches for users and groups. Undefined: users are searched anonymously, groups as the user. */
  readonly manager: ServiceAccount | undefined;
}

export interface SubtreeSearch {
  readonly base: string;
  readonly filter: string;
}

export interface ServiceAccount {
  /** Active Directory also accepts a name such as `logbook@example.org`. */
  readonly dn: string;
  readonly password: string;
}

export interface ActiveDirectoryOptions extends LdapConnectionOptions {
  /** DNS name of the domain, appended to user names without a domain. */
  readonly domain: string;
  /** DN below which users are searched. */
  readonly baseDn: string;
  /** The attribute of users whose value is the user name. */
  readonly nameAttribute: string;
  /** DN below which groups are searched. */
  readonly groupBaseDn: string;
  /** Account that looks users up without their passwords. Undefined: they cannot be looked up. */
  readonly manager: ServiceAccount | undefined;
}
