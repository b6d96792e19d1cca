import type { Identity } from './authentication-provider.port.js';

/** The state of a sign-in while its browser is at the identity provider. Every field is secret. */
export interface PendingSignIn {
  /** The address to which the provider sends the browser back, without a query. */
  readonly callbackUrl: string;
  /** Identifies this sign-in. The browser returns it. */
  readonly state: string;
  /** Ties the id token to this sign-in. The provider returns it inside the signed token. */
  readonly nonce: string;
  /** Time at which the sign-in began, in milliseconds since the epoch. */
  readonly begunMs: number;
  /** Proves to the provider that the party redeeming the code is the one that began the sign-in (PKCE). */
  readonly codeVerifier: string;
}

export interface SignedInIdentity {
  readonly identity: Identity;
  /** The id token, by which the provider recognises the user at the sign-out. Secret. */
  readonly idToken: string;
}

/** Signs users in through an identity provider, to which the browser is redirected and from which it returns. */
export interface BrowserSignIn {
  /**
   * Begins a sign-in; resolves to its state and to the address at the provider to which the browser must go.
   * @param prompt `login`: the provider must ask for the password again, even if the user is signed in there
   * @throws Fault unavailable `auth.oidc-unavailable`, within the time-outs, when the provider cannot be queried
   */
  begin(callbackUrl: string, prompt?: 'login'): Promise<{ readonly address: string; readonly pending: PendingSignIn }>;
  /**
   * Returns the address at which the browser also signs out of the provider, which sends it back to `returnUrl`.
   * Undefined when a setting turns this off, or the provider offers no such address or does not respond in time: a
   * sign-out waits only briefly.
   * @param idToken undefined: the provider may ask the user to confirm the sign-out
   */
  findSignOutAddress(returnUrl: string, idToken: string | undefined): Promise<string | undefined>;
  /**
   * Returns the user who signed in, from the query parameters with which the browser returned. Must be called only once
   * for each response: the provider does not redeem a code twice.
   * @throws Fault unauthenticated `auth.oidc-refused` when the provider refused, when the response belongs to another
   * sign-in or is not signed by the provider, and when it does not name the user
   * @throws Fault unavailable `auth.oidc-unavailable` as for `begin`
   */
  finish(response: URLSearchParams, pending: PendingSignIn): Promise<SignedInIdentity>;
  /** Cancels the requests to the provider that are in flight. */
  close(): Promise<void>;
}
