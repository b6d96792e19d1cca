import type { Identity } from '../../auth/authentication-provider.port.js';
import { Fault, quoted } from '../../kernel/fault.js';

/** What the provider says of somebody. */
export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimNames {
  readonly userClaim: string;
  /** Empty: groups are not asked for. */
  readonly groupsClaim: string;
}

const maxNameLength = 255;

/** @throws Fault unauthenticated `auth.oidc-refused` when the claims do not say who it is */
export function identityOf(claims: Claims, { userClaim, groupsClaim }: ClaimNames): Identity {
  const userName = claimOf(claims, userClaim);
  if (userName === undefined) throw refused(`does not say the ${quoted(userClaim)}`, 'oidcUserClaim and oidcScope');
  if (typeof userName !== 'string' || !isName(userName)) {
    throw refused(`gives a ${quoted(userClaim)} that is no user name`, 'oidcUserClaim');
  }
  // Anybody can claim to have any address.
  if (userClaim === 'email' && claims.email_verified !== true) {
    throw refused('has not checked the e-mail address', 'oidcUserClaim');
  }
  return { userName, groups: groupsOf(claims, groupsClaim), roles: [] };
}

/** No groups when the provider says nothing of them, which is how it says that there are none. */
function groupsOf(claims: Claims, groupsClaim: string): string[] {
  const groups = claimOf(claims, groupsClaim) ?? [];
  const names =
    typeof groups === 'string'
      ? groups
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '')
      : groups;
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return [...new Set(names)];
  throw refused(`gives ${quoted(groupsClaim)} that are no list of names`, 'oidcGroupsClaim');
}

function claimOf(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;
}

function isName(text: string): boolean {
  return text !== '' && text.length <= maxNameLength && text.trim() === text && !/[\p{Cc}\p{Cs}]/u.test(text);
}

function refused(problem: string, settings: string): Fault {
  return new Fault(
    'unauthenticated',
    'auth.oidc-refused',
    `The identity provider ${problem} of this account. Ask its administrator, or the one of the logbook to look at ${settings}.`,
  );
}
