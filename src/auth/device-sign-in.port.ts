import type { SignedInIdentity } from './browser-sign-in.port.js';

/** A sign-in that a person confirms in any browser (RFC 8628). */
export interface DeviceCode {
  /** Identifies the sign-in to the provider. Secret. */
  readonly deviceCode: string;
  /** The code that the person compares or enters. */
  readonly userCode: string;
  /** Page of the provider where the person confirms. */
  readonly verificationUrl: string;
  /** The same page with the code filled in; undefined when the provider offers none. */
  readonly completeUrl: string | undefined;
  readonly lifetimeMs: number;
  /** Minimum time between two polls. */
  readonly intervalMs: number;
}

export type DeviceBeginning =
  | { readonly kind: 'begun'; readonly code: DeviceCode }
  /** The provider offers the logbook no such sign-in. */
  | { readonly kind: 'not-offered'; readonly reason: string };

export type DevicePoll =
  /** The person has not confirmed the sign-in yet. */
  | { readonly kind: 'pending' }
  /** The provider asks for longer pauses. */
  | { readonly kind: 'too-fast' }
  /** The code has expired, or was used. */
  | { readonly kind: 'over' }
  | { readonly kind: 'signed-in'; readonly signedIn: SignedInIdentity };

/** Signs programs without a browser in through an identity provider, by the device authorization grant. */
export interface DeviceSignIn {
  /**
   * Begins a sign-in.
   * @throws Fault unavailable `auth.oidc-unavailable`, within the time-outs, when the provider cannot be queried
   */
  beginDevice(): Promise<DeviceBeginning>;
  /**
   * Asks the provider whether a person has confirmed. The provider names the user only once.
   * @param begunMs time at which the sign-in began, in milliseconds since the epoch
   * @throws Fault unauthenticated `auth.oidc-refused` when the person or the provider refused, and when the response
   *   does not name the user
   * @throws Fault unavailable `auth.oidc-unavailable` as for `beginDevice`
   */
  pollDevice(deviceCode: string, begunMs: number): Promise<DevicePoll>;
}
