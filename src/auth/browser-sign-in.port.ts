import type { Identity } from './authentication-provider.port.js';

/** What has to be remembered of a sign-in while its browser is at the provider. Secret, all of it. */
export interface PendingSignIn {
  /** Where the provider sends the browser back to, without a query. */
  readonly callbackUrl: string;
  /** Comes back with the browser, and tells which sign-in this is. */
  readonly state: string;
  /** Comes back inside what the provider signs. */
  readonly nonce: string;
  /** Proves to the provider that who redeems its answer is who began. */
  readonly codeVerifier: string;
}

/** A way to sign in for which the browser goes to an identity provider and comes back. */
export interface BrowserSignIn {
  /**
   * A new sign-in, and the address at the provider where the browser goes for it.
   * @throws Fault unavailable `auth.oidc-unavailable` when the provider cannot be asked; within its time-outs
   */
  begin(callbackUrl: string): Promise<{ readonly address: string; readonly pending: PendingSignIn }>;
  /**
   * Who signed in, by the parameters with which the browser came back. An answer is good for one call: the provider
   * gives nothing for it a second time.
   * @throws Fault unauthenticated `auth.oidc-refused` when the provider said no, when the answer belongs to another
   * sign-in or is not signed by the provider, and when it does not say who it is
   * @throws Fault unavailable `auth.oidc-unavailable` as above
   */
  finish(answer: URLSearchParams, pending: PendingSignIn): Promise<Identity>;
  /** Gives up what is being asked of the provider. */
  close(): Promise<void>;
}
