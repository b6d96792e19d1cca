import type { Finding } from '../../kernel/finding.js';
import type { Log } from '../../kernel/log.js';
import { describeGroupLimit } from './group-overage.js';
import type { OidcOptions } from './oidc-options.js';
import { OidcSignIn } from './oidc-sign-in.js';

/** Fetches the discovery document of the provider, as a sign-in does. */
export async function checkIssuer(options: OidcOptions, log: Log): Promise<Finding> {
  const signIn = new OidcSignIn(options, log);
  try {
    await signIn.begin('http://localhost/');
    const limit = describeGroupLimit(options.issuer, options.groupsClaim);
    const text = `${options.issuer} has a valid discovery document`;
    return { isProblem: false, text: limit === undefined ? text : `${text}. ${limit}` };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? ` (${rootCause(cause).message})` : '';
    return { isProblem: true, text: `${options.issuer}: ${message}${reason}` };
  } finally {
    await signIn.close();
  }
}

function rootCause(error: Error): Error {
  return error.cause instanceof Error ? rootCause(error.cause) : error;
}
