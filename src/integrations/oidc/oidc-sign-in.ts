import * as oidc from 'openid-client';
import type { BrowserSignIn, PendingSignIn, SignedInIdentity } from '../../auth/browser-sign-in.port.js';
import type { DeviceBeginning, DevicePoll, DeviceSignIn } from '../../auth/device-sign-in.port.js';
import { Fault } from '../../kernel/fault.js';
import type { Log } from '../../kernel/log.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { checkIdToken } from './check-id-token.js';
import { toIdentity } from './claims.js';
import { beginDevice, pollDevice } from './device-grant.js';
import { fetchWithCa } from './fetch-with-ca.js';
import { type Claims, findClaim, mergeClaims } from './find-claim.js';
import { hasLeftOutGroups, overageAdvice } from './group-overage.js';
import { toDiscoveryFault, toFault } from './oidc-faults.js';
import type { OidcOptions } from './oidc-options.js';

type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** Time for which the provider's metadata is cached. It expires, so that a change at the provider needs no restart. */
const metadataLifetimeMs = 600_000;
/** Maximum time for which a sign-out waits for the provider's metadata. */
const signOutWaitMs = 2_000;

/**
 * Signs users in with OpenID Connect: browsers by the authorization code flow with PKCE, programs by the device
 * authorization grant. The provider is first contacted at the first sign-in, so that the service starts without it.
 */
export class OidcSignIn implements BrowserSignIn, DeviceSignIn {
  private readonly issuer: URL;
  private readonly closing = new AbortController();
  private metadata: { readonly provider: Promise<oidc.Configuration>; readonly untilMs: number } | undefined;

  constructor(
    private readonly options: OidcOptions,
    private readonly log: Log,
  ) {
    this.issuer = new URL(options.issuer);
  }

  async begin(callbackUrl: string, prompt?: 'login'): Promise<{ address: string; pending: PendingSignIn }> {
    const provider = await this.getProvider();
    const pending = {
      callbackUrl,
      begunMs: Date.now(),
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      codeVerifier: oidc.randomPKCECodeVerifier(),
    };
    const parameters = {
      redirect_uri: callbackUrl,
      scope: this.options.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt && { prompt }),
    };
    const address = await this.request(async () => oidc.buildAuthorizationUrl(provider, parameters).href);
    return { address, pending };
  }

  async finish(response: URLSearchParams, pending: PendingSignIn): Promise<SignedInIdentity> {
    const provider = await this.getProvider();
    const address = new URL(pending.callbackUrl);
    address.search = response.toString();
    return this.identify(provider, pending.begunMs, () =>
      oidc.authorizationCodeGrant(provider, address, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      }),
    );
  }

  async beginDevice(): Promise<DeviceBeginning> {
    const provider = await this.getProvider();
    return this.request(() => beginDevice(provider, this.options.scope));
  }

  async pollDevice(deviceCode: string, begunMs: number): Promise<DevicePoll> {
    const provider = await this.getProvider();
    const polled = await this.request(() => pollDevice(provider, deviceCode));
    if (polled.kind !== 'tokens') return polled;
    return { kind: 'signed-in', signedIn: await this.identify(provider, begunMs, async () => polled.tokens) };
  }

  /** Returns the user whom the provider names in its response to a sign-in. */
  private async identify(
    provider: oidc.Configuration,
    begunMs: number,
    redeem: () => Promise<Tokens>,
  ): Promise<SignedInIdentity> {
    const { claims, idToken } = await this.request(async () => {
      const tokens = await redeem();
      const tokenClaims = tokens.claims() as oidc.IDToken;
      checkIdToken(tokenClaims, { clientId: this.options.clientId, begunMs, nowMs: Date.now() });
      const all = await this.completeClaims(provider, tokenClaims, tokens.access_token);
      return { claims: all, idToken: tokens.id_token as string };
    });
    const identity = toIdentity(claims, this.options);
    this.warnOfMissingGroups(claims, identity.userName);
    return { identity, idToken };
  }

  async findSignOutAddress(returnUrl: string, idToken: string | undefined): Promise<string | undefined> {
    if (!this.options.signOut) return undefined;
    try {
      const provider = await withTimeout(signOutWaitMs, () => this.getProvider(), this.closing.signal);
      if (provider.serverMetadata().end_session_endpoint === undefined) return undefined;
      const hint = idToken !== undefined && { id_token_hint: idToken };
      return oidc.buildEndSessionUrl(provider, { post_logout_redirect_uri: returnUrl, ...hint }).href;
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  /**
   * Adds the user info to an id token that lacks a required claim, because many providers send most claims only in the
   * user info.
   */
  private async completeClaims(
    provider: oidc.Configuration,
    idToken: oidc.IDToken,
    accessToken: string,
  ): Promise<Claims> {
    const required = [this.options.userClaim, this.options.groupsClaim].filter((name) => name !== undefined);
    const isComplete = required.every((name) => findClaim(idToken, name) !== undefined);
    if (isComplete || provider.serverMetadata().userinfo_endpoint === undefined) return idToken;
    return mergeClaims(idToken, await oidc.fetchUserInfo(provider, accessToken, idToken.sub));
  }

  private warnOfMissingGroups(claims: Claims, userName: string): void {
    const { groupsClaim } = this.options;
    if (!hasLeftOutGroups(claims, groupsClaim)) return;
    this.log.warn(
      { userName, groupsClaim, advice: overageAdvice },
      'identity provider left the groups out because the user is in too many: no rights of groups apply',
    );
  }

  /** Returns the provider's metadata. Concurrent sign-ins share one request; a failure is not cached. */
  private async getProvider(): Promise<oidc.Configuration> {
    if (this.metadata && this.metadata.untilMs > performance.now()) return this.metadata.provider;
    const metadata = { provider: this.discover(), untilMs: performance.now() + metadataLifetimeMs };
    this.metadata = metadata;
    try {
      return await metadata.provider;
    } catch (error) {
      if (this.metadata === metadata) this.metadata = undefined;
      throw error;
    }
  }

  private async discover(): Promise<oidc.Configuration> {
    const { clientId, clientSecret, timeoutMs, caCertificates } = this.options;
    try {
      return await oidc.discovery(this.issuer, clientId, {}, clientAuthentication(clientSecret), {
        timeout: timeoutMs / 1_000,
        [oidc.customFetch]: (url, { signal, ...init }) => {
          const signals = [this.closing.signal, ...(signal ? [signal] : [])];
          const request = { ...(init as RequestInit), signal: AbortSignal.any(signals) };
          return caCertificates === undefined ? fetch(url, request) : fetchWithCa(url, caCertificates, request);
        },
        execute: [
          ...(this.issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
          // Verifies the signature of the id token, too, and not only the address from which it was fetched.
          oidc.enableNonRepudiationChecks,
        ],
      });
    } catch (error) {
      throw toDiscoveryFault(error, this.options.issuer);
    }
  }

  private async request<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (error instanceof Fault) throw error;
      const fault = toFault(error, this.options.issuer);
      // The endpoints of the provider may have changed.
      if (fault.kind === 'unavailable') this.metadata = undefined;
      throw fault;
    }
  }
}

/** Uses HTTP Basic, which every provider must support unless its metadata offers only the secret in the body. */
function clientAuthentication(clientSecret: string | undefined): oidc.ClientAuth {
  if (clientSecret === undefined) return oidc.None();
  const basic = oidc.ClientSecretBasic(clientSecret);
  const post = oidc.ClientSecretPost(clientSecret);
  return (provider, ...request) => {
    const offered = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (offered.includes('client_secret_basic') ? basic : post)(provider, ...request);
  };
}
