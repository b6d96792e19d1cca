import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { Fault, quoted } from '../../kernel/fault.js';

/** OAuth error codes for a failure of the provider itself. */
const providerErrors = ['server_error', 'temporarily_unavailable'];
/** OAuth error codes for a client that is not configured as the provider expects. */
const configurationErrors = [
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
];

/** Error codes of the library for responses that no working provider sends. */
const responseErrors = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
];

/** Translates an error of a sign-in into a fault. */
export function toFault(error: unknown, issuer: string): Fault {
  if (error instanceof AuthorizationResponseError) {
    return oauthFault(error.error, error.error_description, error, issuer);
  }
  if (error instanceof ResponseBodyError) {
    if (error.status >= 500) return unavailable(issuer, error);
    return oauthFault(error.error, undefined, error, issuer);
  }
  if (error instanceof WWWAuthenticateChallengeError) return notAccepted(issuer, error);
  const { code } = error as { code?: string };
  // A TypeError without a code is a network error of fetch.
  if (code === undefined ? error instanceof TypeError : responseErrors.includes(code))
    return unavailable(issuer, error);
  return refused(`sent a response that is not accepted: ${reasons[code ?? ''] ?? 'it cannot be verified'}.`, error);
}

const reasons: Readonly<Record<string, string>> = {
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'it was made for another sign-in or another service',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'it has expired or is not valid yet; check that the clocks of both servers agree',
};

/** Translates an error of reading the provider's metadata into a fault. */
export function toDiscoveryFault(error: unknown, issuer: string): Fault {
  const { cause } = error as { cause?: { attribute?: unknown; body?: { issuer?: unknown } } };
  if (cause?.attribute !== 'issuer') return unavailable(issuer, error);
  const name = quoted(cause.body?.issuer, 200);
  return new Fault(
    'unavailable',
    'auth.oidc-unavailable',
    `The identity provider at ${issuer} calls itself ${name}. The administrator of the logbook must set oidcIssuer to this name.`,
    { cause: toLoggable(error) },
  );
}

function oauthFault(name: string, description: string | undefined, error: Error, issuer: string): Fault {
  if (providerErrors.includes(name)) return unavailable(issuer, error);
  if (configurationErrors.includes(name)) return notAccepted(issuer, error);
  const why = description === undefined ? '' : `, ${quoted(description, 200)}`;
  return refused(`refused the sign-in: ${quoted(name)}${why}.`, error);
}

function refused(problem: string, error: unknown): Fault {
  return new Fault('unauthenticated', 'auth.oidc-refused', `The identity provider ${problem} Sign in again.`, {
    cause: toLoggable(error),
  });
}

function unavailable(issuer: string, error: unknown): Fault {
  return new Fault(
    'unavailable',
    'auth.oidc-unavailable',
    `The identity provider at ${issuer} does not answer. Try again in a moment, or sign in another way.`,
    { cause: toLoggable(error) },
  );
}

function notAccepted(issuer: string, error: unknown): Fault {
  return new Fault(
    'unavailable',
    'auth.oidc-unavailable',
    `The identity provider at ${issuer} does not accept the logbook as its client. The administrator must check oidcClientId, oidcClientSecret and oidcScope, and the client's registration at the provider.`,
    { cause: toLoggable(error) },
  );
}

/** Returns an error that is safe to log, because errors of the library contain the tokens and codes of the sign-in. */
function toLoggable(error: unknown): Error {
  const parts: string[] = [];
  for (let one = error; one instanceof Error && parts.length < 5; one = one.cause) {
    const { code, error: name } = one as { code?: unknown; error?: unknown };
    parts.push([one.name, code, name, one.message].filter((part) => typeof part === 'string' && part !== '').join(' '));
  }
  return new Error(parts.join('; '));
}
