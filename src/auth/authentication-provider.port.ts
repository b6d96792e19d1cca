import type { Role } from './principal.js';

export interface Credentials {
  readonly userName: string;
  readonly password: string;
}

/** Somebody, as a scheme knows them. */
export interface Identity {
  /** As the scheme spells it, whatever case it was typed in. */
  readonly userName: string;
  /** Names of the groups that the user is in, also through other groups. */
  readonly groups: readonly string[];
  /** Roles that the scheme itself gives. */
  readonly roles: readonly Role[];
}

export type AuthenticationResult =
  | { readonly kind: 'accepted'; readonly identity: Identity }
  /** There is no such user, or the password is wrong; which of them is told to nobody. */
  | { readonly kind: 'unknown' }
  /** The account is there and may not be used; the reason is one sentence for its owner. */
  | { readonly kind: 'refused'; readonly reason: string };

/** One way to check a name and a password, such as a directory. */
export interface AuthenticationProvider {
  /** The scheme's name in the configuration. */
  readonly scheme: string;
  /** True when a check costs a conversation with another program, so that its result is worth remembering. */
  readonly isRemote: boolean;
  /**
   * Never a sign-in without a password, whatever the directory makes of an empty one.
   * @throws Fault unavailable `auth.directory-unavailable` when the scheme cannot tell; within its time-outs
   */
  authenticate(credentials: Credentials): Promise<AuthenticationResult>;
  /** Resolves when its connections are closed. */
  close(): Promise<void>;
}
