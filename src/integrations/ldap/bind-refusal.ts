import type { AuthenticationResult } from '../../auth/authentication-provider.port.js';
import type { BindAnswer } from './ldap-connection.js';

/** What Active Directory adds to “invalid credentials”; 525 (no such user) and 52e (wrong password) stay untold. */
const activeDirectoryReasons: Readonly<Record<string, string>> = {
  '530': 'Your account may not sign in at this time of day.',
  '531': 'Your account may not sign in from here.',
  '532': 'Your password has expired; change it, then sign in again.',
  '533': 'Your account is disabled; ask those who keep the user directory.',
  '701': 'Your account has expired; ask those who keep the user directory.',
  '773': 'You must change your password before you can sign in.',
  '775': 'Your account is locked; try again later or ask those who keep the user directory.',
};

/**
 * What the user is told when a bind with their name and password is not accepted.
 * @throws Error when the answer is about something else than the user
 */
export function refusalOf({ code, diagnostic }: BindAnswer & { accepted: false }): AuthenticationResult {
  switch (code) {
    case 49: {
      const [, reasonCode = ''] = /\bdata ([0-9a-f]+)/i.exec(diagnostic) ?? [];
      const reason = activeDirectoryReasons[reasonCode.toLowerCase()];
      return reason === undefined ? { kind: 'unknown' } : { kind: 'refused', reason };
    }
    // No such entry, no such name, an entry without a password.
    case 32:
    case 34:
    case 48:
      return { kind: 'unknown' };
    // A constraint, such as a lock after wrong passwords; a server that is unwilling.
    case 19:
    case 53:
      return {
        kind: 'refused',
        reason: 'The user directory does not let your account sign in at present; ask those who keep it.',
      };
    default:
      throw new Error(`the directory neither accepts nor rejects a sign-in: ${diagnostic}`);
  }
}
