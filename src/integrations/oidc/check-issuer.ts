import type { Finding } from '../../kernel/finding.js';
import type { OidcOptions } from './oidc-options.js';
import { OidcSignIn } from './oidc-sign-in.js';

/** Fetches the discovery document of the provider, as for a sign-in. */
export async function checkIssuer(options: OidcOptions): Promise<Finding> {
  const signIn = new OidcSignIn(options);
  try {
    await signIn.begin('http://localhost/');
    return { isProblem: false, text: `${options.issuer} has a valid discovery document` };
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
