import type { AuthenticationResult, Credentials } from '../../auth/authentication-provider.port.js';
import { Fault } from '../../kernel/fault.js';
import type { Log } from '../../kernel/log.js';
import { describeError } from './describe-error.js';

const maxLength = 1_024;

/**
 * Authenticates with a directory. Credentials that no user can have are rejected as unknown without a request to the
 * directory.
 * @throws Fault unavailable `auth.directory-unavailable`
 */
export async function authenticateRemotely(
  { userName, password }: Credentials,
  log: Log,
  authenticate: () => Promise<AuthenticationResult>,
): Promise<AuthenticationResult> {
  const isPlausible = [userName, password].every((text) => text !== '' && text.length <= maxLength && isSafeText(text));
  if (!isPlausible || /\p{Cc}/u.test(userName)) return { kind: 'unknown' };
  try {
    return await authenticate();
  } catch (error) {
    log.warn({ ...describeError(error), err: error }, 'LDAP authentication request failed');
    throw new Fault(
      'unavailable',
      'auth.directory-unavailable',
      'The user directory is unavailable, so signing in with it is not possible right now. Try again in a moment.',
      { cause: error },
    );
  }
}

/** Whether a text reaches the directory unchanged. Lone surrogates would be replaced, and NUL may end the text. */
function isSafeText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
