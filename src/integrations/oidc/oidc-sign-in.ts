import * as oidc from 'openid-client';
import type { Identity } from '../../auth/authentication-provider.port.js';
import type { BrowserSignIn, PendingSignIn } from '../../auth/browser-sign-in.port.js';
import { type ClaimNames, type Claims, identityOf } from './claims.js';
import { describedWrongly, faultOf } from './oidc-faults.js';

export interface OidcOptions extends ClaimNames {
  /** As the provider calls itself. Its requests are not encrypted when this is plain http. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: a public client. */
  readonly clientSecret: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** For each request to the provider. */
  readonly timeoutMs: number;
}

/** How long what the provider says of itself is believed, so that a change there needs no restart here. */
const descriptionLifetimeMs = 600_000;

/** OpenID Connect: authorization code with PKCE. The provider is first asked when somebody signs in. */
export class OidcSignIn implements BrowserSignIn {
  private readonly issuer: URL;
  private readonly closing = new AbortController();
  private description: { readonly provider: Promise<oidc.Configuration>; readonly untilMs: number } | undefined;

  constructor(private readonly options: OidcOptions) {
    this.issuer = new URL(options.issuer);
  }

  async begin(callbackUrl: string): Promise<{ address: string; pending: PendingSignIn }> {
    const provider = await this.describedProvider();
    const pending = {
      callbackUrl,
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
    };
    const address = await this.ask(async () => oidc.buildAuthorizationUrl(provider, parameters).href);
    return { address, pending };
  }

  async finish(answer: URLSearchParams, pending: PendingSignIn): Promise<Identity> {
    const provider = await this.describedProvider();
    const address = new URL(pending.callbackUrl);
    address.search = answer.toString();
    const claims = await this.ask(async () => {
      const tokens = await oidc.authorizationCodeGrant(provider, address, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      });
      return this.completed(provider, tokens.claims() as oidc.IDToken, tokens.access_token);
    });
    return identityOf(claims, this.options);
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  /** Many providers tell little in the id token, and the rest when asked with the access token. */
  private async completed(provider: oidc.Configuration, idToken: oidc.IDToken, accessToken: string): Promise<Claims> {
    const wanted = [this.options.userClaim, this.options.groupsClaim].filter((name) => name !== '');
    const isComplete = wanted.every((name) => idToken[name] !== undefined);
    if (isComplete || provider.serverMetadata().userinfo_endpoint === undefined) return idToken;
    return { ...(await oidc.fetchUserInfo(provider, accessToken, idToken.sub)), ...idToken };
  }

  /** Asked once for all who sign in at the same time; a failure is kept for nobody. */
  private async describedProvider(): Promise<oidc.Configuration> {
    if (this.description && this.description.untilMs > performance.now()) return this.description.provider;
    const description = { provider: this.discover(), untilMs: performance.now() + descriptionLifetimeMs };
    this.description = description;
    try {
      return await description.provider;
    } catch (error) {
      if (this.description === description) this.description = undefined;
      throw error;
    }
  }

  private async discover(): Promise<oidc.Configuration> {
    const { clientId, clientSecret, timeoutMs } = this.options;
    try {
      return await oidc.discovery(this.issuer, clientId, {}, clientAuthentication(clientSecret), {
        timeout: timeoutMs / 1_000,
        [oidc.customFetch]: (url, { signal, ...init }) => {
          const signals = [this.closing.signal, ...(signal ? [signal] : [])];
          return fetch(url, { ...(init as RequestInit), signal: AbortSignal.any(signals) });
        },
        execute: [
          ...(this.issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
          // The signature is checked too, not only that the token came from the provider's address.
          oidc.enableNonRepudiationChecks,
        ],
      });
    } catch (error) {
      throw describedWrongly(error, this.options.issuer);
    }
  }

  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      const fault = faultOf(error, this.options.issuer);
      // Perhaps it has moved.
      if (fault.kind === 'unavailable') this.description = undefined;
      throw fault;
    }
  }
}

/** Basic is what every provider has to offer; some say that they take the secret in the body alone. */
function clientAuthentication(clientSecret: string): oidc.ClientAuth {
  if (clientSecret === '') return oidc.None();
  const basic = oidc.ClientSecretBasic(clientSecret);
  const post = oidc.ClientSecretPost(clientSecret);
  return (provider, ...request) => {
    const offered = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (offered.includes('client_secret_basic') ? basic : post)(provider, ...request);
  };
}
