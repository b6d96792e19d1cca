import type { AuthenticationResult, Credentials } from '../../auth/authentication-provider.port.js';
import { Fault } from '../../kernel/fault.js';
import type { Log } from '../../kernel/log.js';

const maxLength = 1_024;

/**
 * Asks the directory about credentials that make sense; the others are nobody's.
 * @throws Fault unavailable `auth.directory-unavailable`
 */
export async function authenticateRemotely(
  { userName, password }: Credentials,
  log: Log,
  ask: () => Promise<AuthenticationResult>,
): Promise<AuthenticationResult> {
  const makesSense = [userName, password].every((text) => text !== '' && text.length <= maxLength && isText(text));
  if (!makesSense || /\p{Cc}/u.test(userName)) return { kind: 'unknown' };
  try {
    return await ask();
  } catch (error) {
    log.warn({ err: error }, 'LDAP authentication request failed');
    throw new Fault(
      'unavailable',
      'auth.directory-unavailable',
      'The user directory does not answer, so nobody can sign in with it at present. Try again in a moment.',
      { cause: error },
    );
  }
}

/** False for what would become another text on its way to the directory. */
function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
