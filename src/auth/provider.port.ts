import type { Principal } from './principal.js';

export interface Credentials {
  readonly userName: string;
  readonly password: string;
}

/** One way to check a name and a password, such as a directory. */
export interface AuthenticationProvider {
  /** The scheme's name in the configuration. */
  readonly scheme: string;
  /**
   * The principal; undefined when name or password are wrong, in the same time whichever it is.
   * @throws Fault unavailable when the scheme cannot tell
   */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
}
