import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { Fault, quoted } from '../../kernel/fault.js';

/** What OAuth calls it when the one who asks is not to blame. */
const internalError = ['server_error', 'temporarily_unavailable'];
/** What OAuth calls it when the two are not set up for each other. */
const wrongSetUp = [
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
];

/** Codes of the library for answers that no working provider gives. */
const noAnswer = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
];

/** What an error of a sign-in means. */
export function faultOf(error: unknown, issuer: string): Fault {
  if (error instanceof AuthorizationResponseError) {
    return oauthFault(error.error, error.error_description, error, issuer);
  }
  if (error instanceof ResponseBodyError) {
    if (error.status >= 500) return unavailable(issuer, error);
    return oauthFault(error.error, undefined, error, issuer);
  }
  if (error instanceof WWWAuthenticateChallengeError) return notAccepted(issuer, error);
  const { code } = error as { code?: string };
  // fetch throws a TypeError without a code.
  if (code === undefined ? error instanceof TypeError : noAnswer.includes(code)) return unavailable(issuer, error);
  return refused(`gave an answer that is not accepted: ${reasons[code ?? ''] ?? 'it cannot be verified'}.`, error);
}

const reasons: Readonly<Record<string, string>> = {
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'it was made for another sign-in or another service',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'by its times it is not valid now; the clocks may differ',
};

/** What it means when a provider cannot be asked what it is. */
export function describedWrongly(error: unknown, issuer: string): Fault {
  const { cause } = error as { cause?: { attribute?: unknown; body?: { issuer?: unknown } } };
  if (cause?.attribute !== 'issuer') return unavailable(issuer, error);
  const name = quoted(cause.body?.issuer, 200);
  return new Fault(
    'unavailable',
    'auth.oidc-unavailable',
    `The identity provider at ${issuer} calls itself ${name}. The administrator of the logbook must set oidcIssuer to that.`,
    { cause: traceOf(error) },
  );
}

function oauthFault(name: string, description: string | undefined, error: Error, issuer: string): Fault {
  if (internalError.includes(name)) return unavailable(issuer, error);
  if (wrongSetUp.includes(name)) return notAccepted(issuer, error);
  const why = description === undefined ? '' : `, ${quoted(description, 200)}`;
  return refused(`refused the sign-in: ${quoted(name)}${why}.`, error);
}

function refused(problem: string, error: unknown): Fault {
  return new Fault('unauthenticated', 'auth.oidc-refused', `The identity provider ${problem} Sign in again.`, {
    cause: traceOf(error),
  });
}

function unavailable(issuer: string, error: unknown): Fault {
  return new Fault(
    'unavailable',
    'auth.oidc-unavailable',
    `The identity provider at ${issuer} does not answer. Try again in a moment, or sign in another way.`,
    { cause: traceOf(error) },
  );
}

function notAccepted(issuer: string, error: unknown): Fault {
  return new Fault(
    'unavailable',
    'auth.oidc-unavailable',
    `The identity provider at ${issuer} does not accept the logbook as its client. The administrator must look at oidcClientId, oidcClientSecret and oidcScope, and at what the provider knows of them.`,
    { cause: traceOf(error) },
  );
}

/** For the log: the errors of the library carry the tokens and codes that they are about. */
function traceOf(error: unknown): Error {
  const parts: string[] = [];
  for (let one = error; one instanceof Error && parts.length < 5; one = one.cause) {
    const { code, error: name } = one as { code?: unknown; error?: unknown };
    parts.push([one.name, code, name, one.message].filter((part) => typeof part === 'string' && part !== '').join(' '));
  }
  return new Error(parts.join('; '));
}
