import type { Identity } from '../../auth/authentication-provider.port.js';
import { toDisplayName } from '../../kernel/display-name.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { toMailAddress } from '../../kernel/mail-address.js';
import { type Claims, findClaim } from './find-claim.js';
import type { ClaimNames } from './oidc-options.js';

const maxNameLength = 255;

/**
 * Returns the user name and the groups in the claims.
 * @throws Fault unauthenticated `auth.oidc-refused` when the claims do not identify the user
 */
export function toIdentity(claims: Claims, { userClaim, groupsClaim, groupsSeparator }: ClaimNames): Identity {
  const userName = findClaim(claims, userClaim);
  if (userName === undefined)
    throw refused(`does not send the claim ${quoted(userClaim)}`, 'oidcUserClaim and oidcScope');
  if (typeof userName !== 'string' || !isName(userName)) {
    throw refused(`sends a ${quoted(userClaim)} that is not a valid user name`, 'oidcUserClaim');
  }
  // A user could otherwise register another user's address at the provider and sign in as them.
  if (userClaim === 'email' && claims.email_verified !== true) {
    throw refused('has not verified the e-mail address', 'oidcUserClaim');
  }
  const displayName = toDisplayName(findClaim(claims, 'name'), userName);
  const mail = claims.email_verified === true ? toMailAddress(claims.email) : undefined;
  return { userName, displayName, mail, groups: parseGroups(claims, groupsClaim, groupsSeparator), roles: [] };
}

/** Returns no groups when the claim is missing: providers omit it for a user without groups. */
function parseGroups(claims: Claims, groupsClaim: string | undefined, separator: string): string[] {
  if (groupsClaim === undefined) return [];
  const groups = findClaim(claims, groupsClaim) ?? [];
  if (typeof groups === 'string') return distinct(groups.split(separator).map((name) => name.trim()));
  const list = Array.isArray(groups) ? groups : [groups];
  const names = list.map((name: unknown) => (Number.isSafeInteger(name) ? String(name) : name));
  if (names.every((name) => typeof name === 'string')) return distinct(names);
  const objects = names.some((name) => typeof name === 'object' && name !== null);
  const problem = objects ? 'contains objects instead of names' : 'is not a list of names';
  const advice = objects ? `, which must name an attribute of the objects, as in ${groupsClaim}.name` : '';
  throw refused(`sends a ${quoted(groupsClaim)} that ${problem}`, `oidcGroupsClaim${advice}`);
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => name !== ''))];
}

function isName(text: string): boolean {
  return text !== '' && text.length <= maxNameLength && text.trim() === text && !/[\p{Cc}\p{Cs}]/u.test(text);
}

function refused(problem: string, settings: string): Fault {
  return new Fault(
    'unauthenticated',
    'auth.oidc-refused',
    `The identity provider ${problem} for this account. Ask its administrator for help, or ask the administrator of the logbook to check ${settings}.`,
  );
}
