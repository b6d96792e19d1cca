import type { AuthenticationResult } from '../../auth/authentication-provider.port.js';
import type { BindResult } from './ldap-connection.js';
import { referralCode } from './referrals.js';

/**
 * The reasons that Active Directory adds to “invalid credentials”. 525 (no such user) and 52e (wrong password) are
 * omitted, because they would reveal to an attacker which users exist.
 */
const activeDirectoryReasons: Readonly<Record<string, string>> = {
  '530': 'Your account is not allowed to sign in at this time of day.',
  '531': 'Your account is not allowed to sign in from here.',
  '532': 'Your password has expired. Change it, then sign in again.',
  '533': 'Your account is disabled. Contact the administrators of the user directory.',
  '701': 'Your account has expired. Contact the administrators of the user directory.',
  '773': 'You must change your password before you can sign in.',
  '775': 'Your account is locked. Try again later, or contact the administrators of the user directory.',
};

/**
 * Maps a failed bind of a user to the result of the authentication.
 * @throws Error when the result code does not concern the user
 */
export function toRefusal({ code, diagnostic }: BindResult & { accepted: false }): AuthenticationResult {
  switch (code) {
    case 49: {
      const [, reasonCode = ''] = /\bdata ([0-9a-f]+)/i.exec(diagnostic) ?? [];
      const reason = activeDirectoryReasons[reasonCode.toLowerCase()];
      return reason === undefined ? { kind: 'unknown' } : { kind: 'refused', reason };
    }
    // No such entry, invalid DN syntax, an entry without a password.
    case 32:
    case 34:
    case 48:
      return { kind: 'unknown' };
    // Constraint violation, such as a lock after wrong passwords; unwilling to perform.
    case 19:
    case 53:
      return {
        kind: 'refused',
        reason: 'The user directory does not allow your account to sign in right now. Contact its administrators.',
      };
    case referralCode:
      return {
        kind: 'refused',
        reason:
          'Your account is on a directory server that this service does not use. Contact the administrators of the logbook.',
      };
    default:
      throw new Error(`the LDAP server neither accepted nor rejected the bind: ${diagnostic}`);
  }
}
