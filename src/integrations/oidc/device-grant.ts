import * as oidc from 'openid-client';
import type { DeviceBeginning } from '../../auth/device-sign-in.port.js';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const defaultIntervalSeconds = 5;
/** Maximum length of a code or an address; a longer one is not from a working provider. */
const maxLength = 2_000;
/** OAuth error codes for a client that may not use this grant; some providers call its request invalid. */
const forbiddenErrors = ['unauthorized_client', 'unsupported_grant_type', 'invalid_request'];
/** OAuth error codes for a code that has expired, was used, or belongs to another client. */
const overErrors = ['expired_token', 'invalid_grant'];

export type PolledTokens =
  | { readonly kind: 'pending' }
  | { readonly kind: 'too-fast' }
  | { readonly kind: 'over' }
  | { readonly kind: 'tokens'; readonly tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers };

/** Asks the provider for a code that a person can confirm. */
export async function beginDevice(provider: oidc.Configuration, scope: string): Promise<DeviceBeginning> {
  if (provider.serverMetadata().device_authorization_endpoint === undefined) {
    return { kind: 'not-offered', reason: 'the identity provider does not offer it (device_authorization_endpoint)' };
  }
  const response = await oidc.initiateDeviceAuthorization(provider, { scope }).catch((error: unknown) => {
    if (!forbiddenErrors.includes(oauthError(error))) throw error;
    return undefined;
  });
  if (!response) {
    const reason = 'the identity provider does not allow the logbook the device authorization grant';
    return { kind: 'not-offered', reason };
  }
  const { interval = defaultIntervalSeconds } = response;
  const code = {
    deviceCode: checkedText(response.device_code),
    userCode: checkedText(response.user_code),
    verificationUrl: checkedUrl(response.verification_uri),
    completeUrl: response.verification_uri_complete && checkedUrl(response.verification_uri_complete),
    lifetimeMs: response.expires_in * 1_000,
    intervalMs: Math.max(1, interval) * 1_000,
  };
  return { kind: 'begun', code };
}

/** Asks the provider once for the tokens of a confirmed sign-in. */
export async function pollDevice(provider: oidc.Configuration, deviceCode: string): Promise<PolledTokens> {
  try {
    const tokens = await oidc.genericGrantRequest(provider, grantType, { device_code: deviceCode });
    // The token names the user; without it, the response is that of a provider that ignored the scope `openid`.
    if (tokens.id_token === undefined) throw new Error('The response has no id token.');
    return { kind: 'tokens', tokens };
  } catch (error) {
    const code = oauthError(error);
    if (code === 'authorization_pending') return { kind: 'pending' };
    if (code === 'slow_down') return { kind: 'too-fast' };
    if (overErrors.includes(code)) return { kind: 'over' };
    throw error;
  }
}

function oauthError(error: unknown): string {
  return error instanceof oidc.ResponseBodyError ? error.error : '';
}

/** Returns the text, which people see in a terminal. @throws Error when it is too long or has control characters */
function checkedText(text: string): string {
  if (text.length > maxLength || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw new Error('A code has invalid characters.');
  return text;
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new Error('An address is not a web address.');
  return checkedText(url.href);
}
