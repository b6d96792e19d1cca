import type { Role } from './principal.js';

export interface Credentials {
  readonly userName: string;
  readonly password: string;
}

/** A user as an authentication provider describes them. */
export interface Identity {
  /** In the provider's spelling, whatever case the user typed. */
  readonly userName: string;
  /** Names of the groups that the user is in, directly or through other groups. */
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

/** One way to check a user name and a password, such as a directory. */
export interface AuthenticationProvider {
  /** The provider's name in the setting `authenticationProviders`. */
  readonly name: string;
  /** True when a check needs a request to another server, so that its result is worth caching. */
  readonly isRemote: boolean;
  /**
   * Checks the credentials. Never accepts an empty password, even if the directory does.
   * @throws Fault unavailable `auth.directory-unavailable`, within the provider's time-outs, when it cannot decide
   */
  authenticate(credentials: Credentials): Promise<AuthenticationResult>;
  /** Closes the provider's connections; resolves when they are closed. */
  close(): Promise<void>;
}
