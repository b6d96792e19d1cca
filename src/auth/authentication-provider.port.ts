import type { Role } from './principal.js';

export interface Credentials {
  readonly userName: string;
  readonly password: string;
}

/** A user as an authentication provider describes them. */
export interface Identity {
  /** User name in the provider's spelling, whatever case the user typed. */
  readonly userName: string;
  /** The display name, as `toDisplayName` returns it; it does not identify a user. */
  readonly displayName?: string | undefined;
  /** Mail address according to the provider; undefined: none, or unverified. It does not identify the user. */
  readonly mail?: string | undefined;
  /**
   * The groups that the user is in, directly or through other groups, as the configuration may name them. Each is given
   * by a name that no other group can have. Groups of a directory are also given by DN, in the form of `normalizeDn`.
   */
  readonly groups: readonly string[];
  /** Roles that the provider itself assigns. */
  readonly roles: readonly Role[];
}

export type AuthenticationResult =
  | { readonly kind: 'accepted'; readonly identity: Identity }
  /** Unknown user or wrong password; the two are never distinguished, so that user names cannot be probed. */
  | { readonly kind: 'unknown' }
  /** The account exists but may not be used, such as a locked one; `reason` is one sentence for its owner. */
  | { readonly kind: 'refused'; readonly reason: string };

/** State of an account, as a provider reports it without the password. */
export type AccountState =
  /** The account may be used; `groups` are the current values of `Identity.groups`. */
  | { readonly kind: 'open'; readonly groups: readonly string[] }
  /** The provider is certain that the account does not exist, or may no longer be used. */
  | { readonly kind: 'closed' }
  /** The provider could not decide, for example because the directory did not answer. */
  | { readonly kind: 'unknown' };

/** A way to check a user name and a password, such as a directory. */
export interface AuthenticationProvider {
  /** The provider's name in the setting `authenticationProviders`. */
  readonly name: string;
  /** Whether a check needs a request to another server, which may take long or fail. */
  readonly isRemote: boolean;
  /**
   * Checks the credentials. Never accepts an empty password, even if the directory does.
   * @throws Fault unavailable `auth.directory-unavailable`, within the provider's time-outs, when it cannot decide
   */
  authenticate(credentials: Credentials): Promise<AuthenticationResult>;
  /**
   * Looks up the account without its password, to find out whether it was closed or lost a group. Returns `unknown` if
   * it cannot decide, and never throws. Undefined if the provider cannot look up accounts.
   * @param userName as in `Identity.userName`
   */
  readonly recheck?: (userName: string) => Promise<AccountState>;
  /** Closes the provider's connections; resolves when they are closed. */
  close(): Promise<void>;
}
